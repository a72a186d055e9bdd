import type { ExportedEvent } from './exported-event.js';
import { placeOf, type Faults } from './faults.js';
import { checkDecides, checkFollows } from './follows.js';
import { instant, integer, NO_DATA, object, same, sameFields, text, type Data } from './values.js';

/** What the terms have as the deal has it. */
const COPIED = ['start_at', 'end_at', 'max_per_user', 'expires_at', 'expiration_days'] as const;
const SHOWN = ['title', 'type', 'image'] as const;

/** Checks the terms of the sales: that they are the deal's, and that each sale keeps to those of its moment. */
export class TermsCheck {
  /** The deal's events whose terms the inventory has not set. */
  readonly #deal = new Map<number, ExportedEvent>();
  /** The present terms. */
  #terms: Data = NO_DATA;
  #revision = -1;

  constructor(private readonly faults: Faults) {}

  /** The deal's maximum for one user; null for none. */
  get max(): number | null {
    return maxOf(this.#terms['max_per_user']);
  }

  /** An event of the deal's own stream. */
  takeDeal(event: ExportedEvent): void {
    checkDecides(event, this.faults);
    this.#deal.set(event.revision, event);
  }

  /** New terms. */
  set(event: ExportedEvent): void {
    const terms = object(event.data['terms']);
    const revision = integer(object(terms['deal'])['revision']);
    const from = this.#deal.get(revision);
    if (revision <= this.#revision) this.faults.add(event, 'terms', 'its terms are not newer than those before');
    if (from === undefined) this.faults.add(event, 'accounts', `the deal has no event with revision ${revision}`);
    else {
      checkFollows(event, from, this.faults);
      if (!isOf(terms, from.data)) this.faults.add(event, 'terms', `its terms are not those of ${placeOf(from)}`);
    }
    for (const each of this.#deal.keys()) if (each <= revision) this.#deal.delete(each);
    this.#terms = terms;
    this.#revision = revision;
  }

  /** A hold, a checkout or a resale begins. */
  start(event: ExportedEvent): void {
    const { price, deal } = event.data;
    const { faults } = this;
    if (!same(price, this.#terms['price'])) faults.add(event, 'terms', 'its price is not that of the terms');
    if (!same(deal, this.#terms['deal'])) faults.add(event, 'terms', 'its deal is not that of the terms');
    this.sells(event);
  }

  /** Something is sold that nobody held. */
  sells(event: ExportedEvent): void {
    const { on_sale, start_at, end_at } = this.#terms;
    const now = instant(event.time);
    if (on_sale !== true || now < instant(start_at) || now >= instant(end_at))
      this.faults.add(event, 'terms', 'the deal does not sell at its time');
  }

  /** The fields of a checkout or resale that the coupons’ expiry follows from. */
  expiry(event: ExportedEvent): void {
    if (!sameFields(event.data, this.#terms, ['expires_at', 'expiration_days']))
      this.faults.add(event, 'terms', 'its expiry is not that of the terms');
  }

  /** When coupons expire that are sold now. */
  sale(event: ExportedEvent): void {
    if (instant(event.data['coupons_expire_at']) !== expiryOf(this.#terms, instant(event.time)))
      this.faults.add(event, 'terms', 'its coupons do not expire as the terms say');
  }

  /** Each event of the deal has led to terms, or has come too late for them. */
  end(): void {
    for (const [revision, event] of this.#deal)
      if (revision > this.#revision) this.faults.missing(event, 'the inventory has not set its terms');
  }
}

const DAY = 86_400_000;

/** When coupons expire that are sold at a time under such terms; 0 for never. */
export function expiryOf({ expires_at, expiration_days }: Data, now: number): number {
  return typeof expiration_days === 'number' ? now + integer(expiration_days) * DAY : instant(expires_at);
}

/** A maximum for one user; null for none. */
export const maxOf = (value: unknown): number | null => (typeof value === 'number' ? integer(value) : null);

/** Whether terms are those of the deal as it is after an event of its own. */
function isOf(terms: Data, { deal_id, state, attributes }: Data): boolean {
  const deal = object(attributes);
  const shown = object(terms['deal']);
  const sells = ['daily-deal', 'on-going'].includes(text(deal['type']));
  return (
    shown['id'] === deal_id &&
    sameFields(shown, deal, SHOWN) &&
    sameFields(terms, deal, COPIED) &&
    integer(terms['price']) === integer(deal['current_price']) &&
    terms['on_sale'] === (sells && (state === 'approved' || state === 'in-flight'))
  );
}
