import { html, type Html, ownHtml, pictureOf, readableTime } from '#http';
import type { Instant } from '#kernel';
import { CURRENCY } from '../../inventory/sale-terms.js';
import { redemptionUrl } from '../coupon.present.js';
import type { CouponRow } from '../coupon.row.js';
import type { DealAsSold, RedemptionPlace } from '../../ports/deal-details.js';
import { page, PRINT_BUTTON } from './page.js';
import { stateWords, type StateWords } from './states.js';
import { barcodeDrawing, qrDrawing } from './symbols.js';

/** The data of a coupon's pages. */
export interface ShownCoupon {
  readonly row: CouponRow;
  /** As it was sold (ruling I2). */
  readonly deal: DealAsSold;
  /** The owner's name; null if the page must not show it. */
  readonly holder: string | null;
  readonly now: Instant;
}

/**
 * A coupon to print, or to show on a phone (ruling B7). Only a valid coupon shows its codes: people would try a redeemed one
 * that still scans.
 */
export function couponPage({ row, deal, holder, now }: ShownCoupon, publicUrl: string): Html {
  const state = stateWords(row, now, deal.time_zone);
  return page(
    deal.title,
    html`<header>
        ${picture(deal.image, publicUrl)} ${line('merchant', deal.merchant_name)}
        <h1>${deal.title}</h1>
        ${line('lead', deal.description1)} ${facts(holder, deal)}
      </header>
      ${state.usable ? codes(row, state, publicUrl) : stamp(state)}
      ${section('Highlights', deal.highlights, 'highlights')} ${section('How to use it', deal.instructions, 'use')}
      ${places(deal.locations)} ${section('The fine print', deal.fine_print, 'small')}
      ${section('Legal', deal.fine_print_legalese, 'small')}
      <footer><span>Coupon ${row.coupon_id}</span><span>As of ${readableTime(now, deal.time_zone)}</span></footer>
      ${state.usable ? PRINT_BUTTON : null}`,
  );
}

const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: CURRENCY });

/** The deal's picture. It says nothing that the title does not, so readers of the screen leave it out. */
function picture(image: string | null, publicUrl: string): Html | null {
  const shown = pictureOf(image, 'medium', publicUrl);
  return shown && html`<img class="picture" src="${shown.url}" alt="" />`;
}

/** The owner, the price and the value, as far as they are known. */
function facts(holder: string | null, { price, value }: DealAsSold): Html | null {
  const known: readonly (readonly [string, string])[] = [
    ...(holder === null ? [] : [['For', holder] as const]),
    ...(price === null ? [] : [['Price', DOLLARS.format(price / 100)] as const]),
    ...(value === null ? [] : [['Value', DOLLARS.format(value / 100)] as const]),
  ];
  if (known.length === 0) return null;
  return html`<dl>
    ${known.map(
      ([name, what]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${what}</dd>
        </div>`,
    )}
  </dl>`;
}

/** The coupon's state in large letters: on the page of a QR code, and in place of the codes of a coupon that is not valid. */
export function stamp({ usable, word, when, advice }: StateWords): Html {
  return ownHtml`<section class="stamp ${usable ? 'good' : 'bad'}" aria-label="State">
    <p class="word">${word}</p>
    ${line('when', when)}
    <p>${advice}</p>
  </section>`;
}

export function line(name: string, text: string | null): Html | null {
  return text === null || text.trim() === '' ? null : html`<p class="${name}">${text}</p>`;
}

function codes(row: CouponRow, { word, when }: StateWords, publicUrl: string): Html {
  const code =
    row.redemption_code === null
      ? null
      : html`<p class="label">Redemption code</p>
          <p class="code">${row.redemption_code}</p>`;
  return html`<section class="ticket" aria-label="Codes">
    <div>${qrDrawing(redemptionUrl(row.coupon_id, publicUrl))}</div>
    <div class="facts">
      <p class="valid"><strong>${word}</strong> ${when}</p>
      ${code}
      <figure>
        ${barcodeDrawing(row.barcode)}
        <figcaption>${grouped(row.barcode)}</figcaption>
      </figure>
    </div>
  </section>`;
}

function section(title: string, text: string | null, name: string): Html | null {
  if (text === null || text.trim() === '') return null;
  return html`<section class="${name}">
    <h2>${title}</h2>
    <p class="text">${text.trim()}</p>
  </section>`;
}

function places(locations: readonly RedemptionPlace[]): Html | null {
  if (locations.length === 0) return null;
  return html`<section>
    <h2>Where to use it</h2>
    <ul class="places">
      ${locations.map(place)}
    </ul>
  </section>`;
}

function place({ address, phone, hours }: RedemptionPlace): Html {
  const lines = [...address, phone, hours].filter((text) => text.trim() !== '');
  return html`<li>${lines.map((text) => html`<span>${text}</span>`)}</li>`;
}

/** Digits in threes, as people read them out. */
function grouped(digits: string): string {
  return digits.replace(/\d{3}(?=\d)/g, '$& ');
}
