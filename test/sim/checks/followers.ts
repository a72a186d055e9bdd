import { idOf, type Recorded } from '#kernel';
import type { Act, Try } from '../workload/history.js';
import { wordsOf } from './effects.js';
import { Violation } from './violation.js';

interface Data {
  readonly purchase_id: string;
  readonly resale_id: string | null;
  readonly coupon_id: string;
  readonly deal_id: string;
  readonly unit: number | null;
  readonly deal: { readonly id: string };
  readonly coupons: readonly { readonly id: string }[];
  readonly replacement: { readonly coupon_id: string };
  readonly replacement_id: string;
}

interface Shown {
  readonly id?: string;
  readonly purchase_id?: string;
  readonly error_type?: string;
  readonly purchase?: { readonly id: string; readonly fulfillment_state: string };
}

/** The log as far as it is written. */
interface Written {
  of(stream: string): readonly Recorded[];
}

/** A success or a decline comes only after all followers of its decision are written: they are in the log when it arrives. */
export class FollowersOfAnswers {
  constructor(private readonly log: Written) {}

  /** @throws Violation */
  check(act: Act, { reply }: Try): void {
    if (reply?.kind !== 'answer' || act.meaning.type === 'other') return;
    const { status, text } = reply.answer;
    const shown = text.startsWith('{') ? (JSON.parse(text) as Shown) : {};
    const missing = this.#missing(act, status, shown);
    if (missing !== undefined)
      throw new Violation('an answer comes after all its followers', wordsOf(act), `${missing} is not written`);
  }

  #missing({ meaning }: Act, status: number, shown: Shown): string | undefined {
    const id = shown.purchase?.id ?? shown.id ?? shown.purchase_id ?? '';
    // After too many declines there is no purchase (ruling I12).
    if (meaning.type === 'buy' && shown.error_type === 'declined' && shown.purchase_id === undefined) return undefined;
    if (meaning.type === 'buy' && shown.error_type === 'declined')
      return this.#after(`purchase-${id}`, ['purchase-declined.v1', 'purchase-voided.v1'], ({ deal_id }) =>
        this.#has(`inventory-${deal_id}`, 'checkout-undone.v1', (data) => data.purchase_id === id),
      );
    if (status >= 300) return undefined;
    switch (meaning.type) {
      case 'reserve':
        return this.#has(`reservation-${id}`, 'reservation-placed.v1');
      case 'claim':
        return (
          this.#has(`reservation-${id}`, 'reservation-claimed.v1') ??
          this.#has(`purchase-${id}`, 'purchase-recorded.v1') ??
          this.#soldCoupons(id)
        );
      case 'buy':
        if (shown.purchase?.fulfillment_state !== 'fulfilled') return undefined;
        return this.#after(
          `purchase-${id}`,
          ['purchase-charged.v1'],
          ({ deal, coupons }) =>
            this.#has(`inventory-${deal.id}`, 'checkout-sold.v1', (data) => data.purchase_id === id) ??
            this.#issued(coupons),
        );
      case 'resell':
        return this.#after(
          `purchase-${id}`,
          ['purchase-resold.v1'],
          ({ deal, coupons, resale_id }) =>
            (resale_id === null
              ? undefined
              : this.#has(`inventory-${deal.id}`, 'resale-sold.v1', (data) => data.resale_id === resale_id)) ??
            this.#issued(coupons),
        );
      case 'cancel-coupon':
        return this.#after(
          `coupon-${meaning.coupon}`,
          ['coupon-cancelled.v1'],
          ({ deal_id, unit, purchase_id }) =>
            (unit === null
              ? undefined
              : this.#has(`inventory-${deal_id}`, 'unit-returned.v1', (data) => data.unit === unit)) ??
            this.#has(
              `purchase-${purchase_id}`,
              'purchase-coupon-cancelled.v1',
              (data) => data.coupon_id === meaning.coupon,
            ),
        );
      case 'reissue':
        return this.#after(
          `coupon-${meaning.coupon}`,
          ['coupon-reissued.v1'],
          ({ purchase_id, replacement }) =>
            this.#issued([{ id: replacement.coupon_id }]) ??
            this.#has(
              `purchase-${purchase_id}`,
              'purchase-coupon-replaced.v1',
              (data) => data.replacement_id === replacement.coupon_id,
            ),
        );
      default:
        return undefined;
    }
  }

  /** What a claim has sold: a coupon for each unit. */
  #soldCoupons(id: string): string | undefined {
    const [recorded] = this.log.of(`purchase-${id}`);
    const deal = (recorded?.data as Data | undefined)?.deal.id ?? '';
    const sale = this.log
      .of(`inventory-${deal}`)
      .find(
        ({ type, data }) => ['hold-claimed.v1', 'units-sold.v1'].includes(type) && (data as Data).purchase_id === id,
      );
    return sale === undefined ? `the sale of ${id}` : this.#issued((sale.data as Data).coupons);
  }

  #issued(coupons: readonly { readonly id: string }[]): string | undefined {
    const missing = coupons.find(({ id }) => this.log.of(`coupon-${id}`).length === 0);
    return missing && `the coupon ${missing.id}`;
  }

  /** What is missing after the decision in a stream; the decision itself, if it is not there. */
  #after(stream: string, types: readonly string[], missing: (data: Data) => string | undefined): string | undefined {
    const decision = this.log.of(stream).find(({ type }) => types.includes(type));
    return decision === undefined ? `${types.join(' or ')} of ${idOf(stream)}` : missing(decision.data as Data);
  }

  #has(stream: string, wanted: string, fits: (data: Data) => boolean = () => true): string | undefined {
    const found = this.log.of(stream).some(({ type, data }) => type === wanted && fits(data as Data));
    return found ? undefined : `${wanted} in ${stream}`;
  }
}
