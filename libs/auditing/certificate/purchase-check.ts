import type { Corrections } from './coupon-check.js';
import type { ExportedEvent } from './exported-event.js';
import type { Faults } from './faults.js';
import { checkDecides, checkFollows } from './follows.js';
import { expiryOf } from './terms-check.js';
import type { Totals } from './totals.js';
import { instant, integer, sameFields, text, type Data } from './values.js';

const RECORDED = ['purchase_id', 'partner_id', 'user_id', 'deal', 'quantity', 'price', 'created_at'] as const;
const OPENED = [
  ...(['purchase_id', 'partner_id', 'user_id', 'deal', 'quantity', 'price', 'coupons', 'expires_at'] as const),
  ...(['expiration_days', 'credit_card_id', 'shipping_address_id', 'session_id', 'takeover_at'] as const),
];
const CHARGED = ['purchase_id', 'partner_id', 'user_id', 'deal', 'coupons', 'amount'] as const;
const RESOLD = ['purchase_id', 'resale_id', 'partner_id', 'deal', 'quantity', 'price', 'coupons'] as const;

/** The sum that a buyer of so many units pays, in cents. */
export const amountOf = ({ price, quantity }: Data): number => integer(price) * integer(quantity);

/** Checks that purchases say what the inventory sold, and that money follows units: what was charged is sold, or goes back. */
export class PurchaseCheck {
  constructor(
    private readonly faults: Faults,
    private readonly totals: Totals,
  ) {}

  /** A claim's purchase. */
  recorded(event: ExportedEvent, sale: ExportedEvent): void {
    const { faults } = this;
    if (event.type !== 'purchase-recorded.v1')
      return faults.add(event, 'accounts', 'a claimed purchase does not begin so');
    checkFollows(event, sale, faults);
    if (!sameFields(event.data, sale.data, RECORDED))
      faults.add(event, 'accounts', 'it does not say what the sale says');
    if (event.data['amount'] !== amountOf(event.data))
      faults.add(event, 'money', 'its amount is not price times quantity');
  }

  /** A purchase that a card pays. */
  opened(event: ExportedEvent, started: ExportedEvent): void {
    const { faults } = this;
    if (event.type !== 'purchase-opened.v1')
      return faults.add(event, 'accounts', 'a purchase by card does not begin so');
    checkFollows(event, started, faults);
    if (event.data['created_at'] !== started.time || !sameFields(event.data, started.data, OPENED))
      faults.add(event, 'accounts', 'it does not say what checkout-started says');
    if (event.data['amount'] !== amountOf(event.data))
      faults.add(event, 'money', 'its amount is not price times quantity');
  }

  /**
   * Follows a charge to its outcome.
   * @returns the outcome, and what comes after it
   */
  charge([opened, ...events]: readonly ExportedEvent[]): Outcome {
    const { faults, totals } = this;
    let state = 'charging';
    for (const [at, event] of events.entries()) {
      const { data } = event;
      checkDecides(event, faults);
      if (data['purchase_id'] !== opened?.data['purchase_id'])
        faults.add(event, 'accounts', 'it names another purchase');
      const later = events.slice(at + 1);
      switch (event.type) {
        case 'purchase-charge-lost.v1':
          if (state !== 'charging') faults.add(event, 'money', 'nothing is being charged');
          break;
        case 'purchase-charge-refused.v1':
        case 'purchase-void-asked.v1':
          if (state !== 'charging') faults.add(event, 'money', 'nothing is being charged');
          state = 'voiding';
          break;
        case 'purchase-charged.v1':
          if (state !== 'charging') faults.add(event, 'money', 'nothing is being charged');
          if (!sameFields(data, opened?.data ?? {}, CHARGED))
            faults.add(event, 'money', 'it does not charge what was opened');
          if (instant(data['coupons_expire_at']) !== expiryOf(opened?.data ?? {}, instant(event.time)))
            faults.add(event, 'terms', 'its coupons do not expire as the terms say');
          totals.money.charged += integer(data['amount']);
          return { event, isSold: true, later };
        case 'purchase-declined.v1':
          if (state !== 'charging') faults.add(event, 'money', 'nothing is being charged');
          return { event, isSold: false, later };
        case 'purchase-voided.v1':
          if (state !== 'voiding') faults.add(event, 'money', 'nobody asked to void the charge');
          if (
            data['refunded'] !== integer(data['amount']) > 0 ||
            ![0, opened?.data['amount']].includes(integer(data['amount']))
          )
            faults.add(event, 'money', 'it does not give back what was charged, or nothing');
          totals.money.voided += integer(data['amount']);
          return { event, isSold: false, later };
        default:
          faults.add(event, 'money', 'it needs an outcome of the charge before it');
      }
    }
    return { event: undefined, isSold: false, later: [] };
  }

  /** A reseller's purchase. */
  resold(event: ExportedEvent, started: ExportedEvent): void {
    const { faults } = this;
    checkDecides(event, faults);
    if (!sameFields(event.data, started.data, RESOLD))
      faults.add(event, 'accounts', 'it does not say what resale-started says');
    if (event.data['created_at'] !== event.time) faults.add(event, 'time', 'it was not made at its time');
    if (instant(event.data['coupons_expire_at']) !== expiryOf(started.data, instant(event.time)))
      faults.add(event, 'terms', 'its coupons do not expire as the terms say');
  }

  /** What becomes of a purchase that is sold. */
  corrected(made: ExportedEvent, later: readonly ExportedEvent[], isCharged: boolean, corrections: Corrections): void {
    const { faults } = this;
    const cancelled = new Map(corrections.cancelled);
    const replaced = new Map(corrections.replaced);
    const back = new MoneyBack(made.data, isCharged, faults, this.totals);
    for (const event of later) {
      const { data } = event;
      const id = text(data['coupon_id']);
      if (event.type !== 'purchase-resale-abandoned.v1' && data['purchase_id'] !== made.data['purchase_id'])
        faults.add(event, 'accounts', 'it names another purchase');
      switch (event.type) {
        case 'purchase-coupon-cancelled.v1':
          this.#follow(event, cancelled, id);
          back.due(event);
          break;
        case 'purchase-coupon-replaced.v1': {
          const reissued = this.#follow(event, replaced, id);
          const replacement = reissued?.data['replacement'] as Data | undefined;
          if (reissued !== undefined && replacement?.['coupon_id'] !== data['replacement_id'])
            faults.add(event, 'coupons', 'it names another new coupon');
          break;
        }
        case 'purchase-money-returned.v1':
        case 'purchase-money-refused.v1':
          checkDecides(event, faults);
          back.answered(event);
          break;
        case 'purchase-refund-asked.v1':
          checkDecides(event, faults);
          break;
        case 'purchase-resale-abandoned.v1':
          break;
        default:
          faults.add(event, 'money', 'the purchase was sold before');
      }
    }
    back.end();
    for (const event of cancelled.values()) faults.missing(event, `${made.stream} does not say so`);
    for (const event of replaced.values()) faults.missing(event, `${made.stream} does not say so`);
  }

  /** The event of a coupon that an event of its purchase follows. */
  #follow(event: ExportedEvent, of: Map<string, ExportedEvent>, id: string): ExportedEvent | undefined {
    const decision = of.get(id);
    if (decision === undefined) this.faults.add(event, 'accounts', 'no coupon of the purchase says so');
    else checkFollows(event, decision, this.faults);
    of.delete(id);
    return decision;
  }
}

/** What became of a charge. */
export interface Outcome {
  /** Undefined while nobody knows it. */
  readonly event: ExportedEvent | undefined;
  readonly isSold: boolean;
  readonly later: readonly ExportedEvent[];
}

/** The money that goes back for the coupons of one purchase (ruling I15). */
class MoneyBack {
  readonly #due = new Map<string, number>();
  #refunded = 0;
  #left: number;

  constructor(
    private readonly made: Data,
    private readonly isCharged: boolean,
    private readonly faults: Faults,
    private readonly totals: Totals,
  ) {
    this.#left = integer(made['quantity']);
  }

  due(event: ExportedEvent): void {
    const { refund_by, refund, refunded, units_left, coupon_id } = event.data;
    const [amount, quantity] = [integer(this.made['amount']), integer(this.made['quantity'])];
    this.#left -= 1;
    const share = this.#left === 0 ? amount - this.#refunded : Math.floor(amount / Math.max(quantity, 1));
    this.#refunded += share;
    if (refund !== share || refunded !== this.#refunded || units_left !== this.#left)
      this.faults.add(event, 'money', 'its share, sum or units are not those of the purchase');
    if (refund_by !== (this.isCharged ? 'gateway' : 'partner'))
      this.faults.add(event, 'money', 'somebody else took the money');
    if (!this.isCharged) this.totals.partners += share;
    else if (share > 0) this.#due.set(text(coupon_id), share);
  }

  answered(event: ExportedEvent): void {
    const { coupon_id, amount } = event.data;
    const due = this.#due.get(text(coupon_id));
    if (due !== amount) this.faults.add(event, 'money', 'no such amount is due for its coupon');
    this.#due.delete(text(coupon_id));
    const { money } = this.totals;
    if (event.type === 'purchase-money-returned.v1') money.returned += integer(amount);
    else money.refused += integer(amount);
  }

  end(): void {
    for (const amount of this.#due.values()) this.totals.money.due += amount;
  }
}
