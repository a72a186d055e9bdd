import { html, Html, type AnswerOf } from '#http';
import { addressLines } from '../address-lines.js';
import type { DEAL } from '../deal.answer.js';

const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** The page's content: picture, price, places and terms of a deal. */
export function dealPage(deal: AnswerOf<typeof DEAL>, region: string | null): Html {
  const { locations } = deal;
  return html`<main>
    <p class="soft">${joined([deal.merchant_name, region], ' · ')}</p>
    <h1>${deal.title}</h1>
    ${deal.image_url_abs === null ? null : html`<img src="${deal.image_url_abs}" alt="" width="420" height="280" />`}
    ${deal.current_price === null || deal.value === null ? null : price(deal.current_price, deal.value)}
    <p>${stateOf(deal)}</p>
    ${part('What it is', deal.description1)} ${part('Highlights', deal.highlights)}
    ${part('How to use it', deal.instructions)} ${locations.length === 0 ? null : html`<h2>Where to use it</h2>`}
    ${locations.map(
      ({ address, phone, hours }) => html`<p>${joined([...addressLines(address), phone, hours], ', ')}</p>`,
    )}
    ${part('The fine print', deal.fine_print)}
    <p class="soft">You cannot buy the deal on this page. The partners of this service sell it.</p>
  </main>`;
}

/** The page's content for a deal that does not exist or that people may not see. */
export function noDealPage(): Html {
  return html`<main>
    <h1>No such deal</h1>
    <p>Check the address. The deal may have been removed.</p>
  </main>`;
}

/** The texts that are not empty, each in an element of its own. */
function joined(texts: readonly (string | null)[], between: ' · ' | ', '): readonly Html[] {
  const filled = texts.filter((text) => text !== null && text.trim() !== '');
  return filled.map((text, nth) => (nth === 0 ? html`${text}` : html`${new Html(between)}${text}`));
}

function price(current: number, value: number): Html {
  return html`<p><strong>${DOLLARS.format(current / 100)}</strong> for a value of ${DOLLARS.format(value / 100)}</p>`;
}

function stateOf({ state, soldout, end_at }: AnswerOf<typeof DEAL>): string {
  if (state === 'landed') return 'It is over.';
  if (state !== 'in-flight') return 'It is not on sale now.';
  return soldout ? 'It is sold out.' : `It is on sale until ${end_at.slice(0, 10)}.`;
}

function part(title: string, text: string | null): Html | null {
  if (text === null || text.trim() === '') return null;
  return html`<h2>${title}</h2>
    <p>${text}</p>`;
}
