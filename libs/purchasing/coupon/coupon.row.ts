import { changing, rowAfter, type Fold, type Instant } from '#kernel';
import type { CouponEvent, CouponIssued } from './coupon.events.js';

/** A coupon as its events describe it; `presentCoupon` turns it into the answer. */
export interface CouponRow extends CouponIssued {
  readonly state: 'valid' | 'redeemed' | 'cancelled' | 'reissued';
  readonly redeemed_at: Instant | null;
  /** The id of the coupon that replaced this one. */
  readonly replaced_by: string | null;
}

const becomes = changing<CouponRow, keyof CouponIssued>();

/** Folds a coupon's event into its row. */
export const couponFold: Fold<CouponRow, CouponEvent> = {
  'coupon-issued.v1': (_, { data }) => ({ ...data, state: 'valid', redeemed_at: null, replaced_by: null }),
  'coupon-redeemed.v1': (row, { data }) =>
    row && becomes(row, { state: 'redeemed', redeemed_at: data.redeemed_at, replaced_by: row.replaced_by }),
  'coupon-cancelled.v1': (row) =>
    row && becomes(row, { state: 'cancelled', redeemed_at: row.redeemed_at, replaced_by: row.replaced_by }),
  // If it was redeemed, that was a mistake (ruling I3).
  'coupon-reissued.v1': (row, { data: { replacement } }) =>
    row && becomes(row, { state: 'reissued', redeemed_at: null, replaced_by: replacement.coupon_id }),
};

/** The coupon after one of its events. */
export function couponAfter(row: CouponRow | undefined, event: CouponEvent): CouponRow | undefined {
  return rowAfter(couponFold, row, event, event.data.coupon_id);
}

/** The state at a time: the clock decides about `expired` (ruling D10). */
export function couponStateAt(row: CouponRow, now: Instant): CouponRow['state'] | 'expired' {
  return row.state === 'valid' && row.expires_at !== null && now >= row.expires_at ? 'expired' : row.state;
}
