import { idOf, type Recorded } from '#kernel';
import { placeOf, Violation } from './violation.js';

interface Data {
  readonly coupon_id: string;
  readonly purchase_id: string;
  readonly expires_at: number | null;
  readonly redemption_code: string | null;
  readonly deal_id: string;
  readonly replacement: { readonly coupon_id: string };
  readonly redeemed_by_mistake: boolean;
}

interface Coupon {
  readonly purchase: string;
  readonly expires: number | null;
  state: 'valid' | 'redeemed' | 'cancelled' | 'reissued';
  redeemed: boolean;
}

/**
 * Every coupon: issued once, redeemed at most once and only while it is valid, cancelled at most once, and issued again at most
 * once, unused.
 */
export class Coupons {
  readonly #coupons = new Map<string, Coupon>();

  /** By id. */
  get all(): ReadonlyMap<string, Readonly<Coupon>> {
    return this.#coupons;
  }

  /** @throws Violation */
  check(event: Recorded): void {
    const { stream, type, metadata } = event;
    if (!stream.startsWith('coupon-')) return;
    const id = idOf(stream);
    const { purchase_id, expires_at, redeemed_by_mistake } = event.data as Data;
    const coupon = this.#coupons.get(id);
    if (type === 'coupon-issued.v1') {
      if (coupon !== undefined) throw new Violation('a coupon is issued once', placeOf(event), id);
      this.#coupons.set(id, { purchase: purchase_id, expires: expires_at, state: 'valid', redeemed: false });
      return;
    }
    if (coupon === undefined) throw new Violation('only an issued coupon changes', placeOf(event), id);
    const { state, expires } = coupon;
    if (type === 'coupon-redeemed.v1') {
      if (state !== 'valid') throw new Violation('a coupon is redeemed once, while it is valid', placeOf(event), state);
      if (expires !== null && metadata.time >= expires)
        throw new Violation(
          'an expired coupon is not redeemed',
          placeOf(event),
          `at ${metadata.time}, expired at ${expires}`,
        );
      coupon.state = 'redeemed';
      coupon.redeemed = true;
      return;
    }
    if (state === 'cancelled' || state === 'reissued')
      throw new Violation('a coupon ends once', placeOf(event), `it is ${state}`);
    if (type === 'coupon-reissued.v1' && redeemed_by_mistake !== (state === 'redeemed'))
      throw new Violation('a coupon is used once', placeOf(event), `it is ${state}`);
    coupon.state = type === 'coupon-cancelled.v1' ? 'cancelled' : 'reissued';
  }
}
