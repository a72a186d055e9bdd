import { html, type Html } from '#http';
import { line, stamp, type ShownCoupon } from './coupon.page.js';
import { page } from './page.js';
import { stateWords } from './states.js';

/** The page of a scanned QR code: the deal and the coupon's state. It shows no code and no person (ruling B7). */
export function redemptionPage({ row, deal, now }: ShownCoupon): Html {
  return page(
    deal.title,
    html`<header>
        ${line('merchant', deal.merchant_name)}
        <h1>${deal.title}</h1>
      </header>
      ${stamp(stateWords(row, now, deal.time_zone))}`,
  );
}

/** The page for an address without a coupon, and for a wrong signature. */
export function unknownPage(): Html {
  return page(
    'No such coupon',
    html`<header><h1>No such coupon</h1></header>
      <section class="stamp bad" aria-label="State">
        <p class="word">Unknown</p>
        <p>Check the address, or scan the code again.</p>
      </section>`,
  );
}
