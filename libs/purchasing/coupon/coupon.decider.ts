import { DomainError, defineDecider } from '#kernel';
import type { CouponEvent, CouponIssued } from './coupon.events.js';
import { couponAfter, type CouponRow } from './coupon.row.js';

export type CouponCommand = { readonly type: 'issue'; readonly coupon: CouponIssued } | { readonly type: 'redeem' };

/** One coupon, redeemed at most once (interface 3.4, ruling D10). */
export const coupon = defineDecider<CouponCommand, CouponRow | null, CouponEvent>({
  category: 'coupon',
  initialState: null,
  decide(command, state, now) {
    if (command.type === 'issue') {
      return state === null ? [{ type: 'coupon-issued.v1', data: command.coupon }] : [];
    }
    if (state === null) throw new DomainError('coupon_not_found', 'Failed. not found.');
    if (state.state !== 'valid') throw new DomainError('redeem_failed', `the coupon is ${state.state}`);
    if (state.expires_at !== null && now >= state.expires_at) {
      throw new DomainError('redeem_failed', 'the coupon is expired');
    }
    const { coupon_id, purchase_id } = state;
    return [{ type: 'coupon-redeemed.v1', data: { coupon_id, purchase_id, redeemed_at: now } }];
  },
  evolve: (state, event) => couponAfter(state ?? undefined, event) ?? null,
});
