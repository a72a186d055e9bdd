import type { Doing, Json, Kind } from '../doing.js';
import type { Owned } from '../known.js';

/** Why an operator changes something. */
export const REASON = { reason: 'the buyer asked for it' };

/** A coupon that somebody bought, or now and then one that a reseller sold. */
function anyCoupon({ known, random }: Doing): Owned | undefined {
  const resold = random.chance(0.3);
  const one = known.coupons.choose(random, () => true, 6);
  const other = known.resold.choose(random, () => true, 6);
  return resold ? (other ?? one) : (one ?? other);
}

/** What becomes of coupons: their owners, resellers and operators decide it. */
export const coupons: Readonly<Record<string, Kind>> = {
  redeem: {
    weight: 9,
    async do(doing) {
      const coupon = anyCoupon(doing);
      const byUser = doing.random.chance(0.3);
      if (coupon === undefined) return;
      const of = byUser && coupon.user !== undefined ? `/users/${coupon.user}` : '';
      const meaning = { type: 'redeem', coupon: coupon.id } as const;
      await doing.call(coupon.partner, 'PUT', `${of}/coupons/${coupon.id}/redeem`, undefined, meaning);
    },
  },
  'coupon of a reseller': {
    weight: 2,
    async do(doing) {
      const coupon = doing.known.resold.choose(doing.random);
      if (coupon !== undefined) await doing.v3(coupon.partner, 'GET', `/coupons/${coupon.id}`);
    },
  },
  'cancel by a reseller': {
    weight: 4,
    async do(doing) {
      const coupon = doing.known.resold.choose(doing.random);
      if (coupon === undefined) return;
      const meaning = { type: 'cancel-coupon', coupon: coupon.id } as const;
      await doing.v3(coupon.partner, 'DELETE', `/coupons/${coupon.id}/cancel`, undefined, meaning);
    },
  },
  'cancel by an operator': {
    weight: 3,
    async do(doing) {
      const coupon = anyCoupon(doing);
      if (coupon === undefined) return;
      const meaning = { type: 'cancel-coupon', coupon: coupon.id } as const;
      await doing.operate('POST', `/coupons/${coupon.id}/cancel`, REASON, meaning);
    },
  },
  reissue: {
    weight: 3,
    async do(doing) {
      const { known } = doing;
      const coupon = anyCoupon(doing);
      if (coupon === undefined) return;
      const meaning = { type: 'reissue', coupon: coupon.id } as const;
      const how = doing.random.one([{}, {}, { terms: 'current' }, { redeemed_by_mistake: true }]);
      const made = await doing.operate('POST', `/coupons/${coupon.id}/reissue`, { ...REASON, ...how }, meaning);
      if (made === undefined) return;
      const shelf = coupon.user === undefined ? known.resold : known.coupons;
      shelf.put(doing.named(), { ...coupon, id: idOf(made['coupon']) });
    },
  },
  refund: {
    weight: 3,
    async do(doing) {
      const purchase = doing.known.purchases.choose(doing.random);
      if (purchase === undefined) return;
      const meaning = { type: 'refund', purchase: purchase.id } as const;
      await doing.operate('POST', `/purchases/${purchase.id}/refund`, REASON, meaning);
    },
  },
  void: {
    weight: 3,
    async do(doing) {
      const purchase = doing.known.purchases.choose(doing.random, () => true, 3);
      if (purchase === undefined) return;
      const meaning = { type: 'void', purchase: purchase.id } as const;
      await doing.operate('POST', `/purchases/${purchase.id}/void`, REASON, meaning);
    },
  },
};

/** The id of something that an answer shows. */
export function idOf(shown: Json | undefined): string {
  return (shown as unknown as { readonly id: string }).id;
}
