import type { Instant } from '#kernel';
import type { CouponEvent, CouponIssued } from './coupon.events.js';

/** A coupon as events tell it; `presentCoupon` makes the answer of it. */
export interface CouponRow extends CouponIssued {
  readonly state: 'valid' | 'redeemed' | 'cancelled' | 'reissued';
  readonly redeemed_at: Instant | null;
  /** The coupon that took its place. */
  readonly replaced_by: string | null;
}

export function couponAfter(row: CouponRow | undefined, event: CouponEvent): CouponRow | undefined {
  switch (event.type) {
    case 'coupon-issued.v1':
      return { ...event.data, state: 'valid', redeemed_at: null, replaced_by: null };
    case 'coupon-redeemed.v1':
      return row && { ...row, state: 'redeemed', redeemed_at: event.data.redeemed_at };
    case 'coupon-cancelled.v1':
      return row && { ...row, state: 'cancelled' };
    case 'coupon-reissued.v1':
      return row && { ...row, state: 'reissued', replaced_by: event.data.replacement.coupon_id };
  }
}
