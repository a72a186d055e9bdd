import { html, type Html } from '#http';

/** What a batch's mail shows. Amounts are cents. */
export interface BatchMailInput {
  /** Null for a user without a name. */
  readonly firstName: string | null;
  readonly deal: {
    readonly title: string;
    readonly merchant: string | null;
    readonly description: string | null;
    readonly price: number | null;
    readonly value: number | null;
    /** The address of its picture. */
    readonly picture: string | null;
    /** Where it can be seen. */
    readonly link: string;
  };
  /** Where the user ends these mails. */
  readonly unsubscribe: string;
}

const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** The mail of a batch: one deal, and how to end such mails. */
export function batchMail(input: BatchMailInput): {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
} {
  const { title } = input.deal;
  return { subject: title, html: `<!doctype html>\n${page(input).text}`, text: plain(input) };
}

function page({ firstName, deal, unsubscribe }: BatchMailInput): Html {
  const { title, merchant, description, picture, link } = deal;
  const price = priceOf(deal);
  return html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="color-scheme" content="light dark" />
      <title>${title}</title>
    </head>
    <body style="font-family: sans-serif; max-width: 36em; margin: 0 auto; padding: 1em">
      <p>${greeting(firstName)}</p>
      <h1>${title}</h1>
      ${merchant === null ? null : html`<p>${merchant}</p>`}
      ${picture === null ? null : html`<p><img src="${picture}" alt="" width="420" style="max-width: 100%" /></p>`}
      ${description === null ? null : html`<p>${description}</p>`}
      ${price === null ? null : html`<p><strong>${price}</strong></p>`}
      <p><a href="${link}">See the deal</a></p>
      <p>
        <small><a href="${unsubscribe}">Unsubscribe from mails like this</a></small>
      </p>
    </body>
  </html>`;
}

function plain({ firstName, deal, unsubscribe }: BatchMailInput): string {
  const { title, merchant, description, link } = deal;
  const parts = [greeting(firstName), title, merchant, description, priceOf(deal), `See the deal: ${link}`];
  const last = `Unsubscribe from mails like this: ${unsubscribe}`;
  return [...parts.filter((each) => each !== null), last].join('\n\n').concat('\n');
}

function greeting(firstName: string | null): string {
  return firstName === null ? 'Hello,' : `Hello ${firstName},`;
}

function priceOf({ price, value }: BatchMailInput['deal']): string | null {
  if (price === null) return null;
  return value === null
    ? DOLLARS.format(price / 100)
    : `${DOLLARS.format(price / 100)} for a value of ${DOLLARS.format(value / 100)}`;
}
