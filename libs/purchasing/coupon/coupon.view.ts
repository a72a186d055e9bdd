import { defineView, value, type Instant } from '#kernel';
import type { CouponEvent } from './coupon.events.js';
import { couponFold, type CouponRow } from './coupon.row.js';

/** The fields that lists of coupons filter and sort by. */
export type CouponField = 'user_id' | 'created_at' | 'state' | 'expires_at';

/** Coupons by id; an index has a user's coupons in the order of their list. */
export const couponsView = defineView<CouponRow, CouponEvent, CouponField>({
  name: 'coupons',
  version: 3,
  key: (event) => event.data.coupon_id,
  on: couponFold,
  fields: {
    user_id: value((row) => row.user_id),
    created_at: value((row) => row.created_at),
    state: value((row) => row.state),
    // A coupon without an expiry never expires: its value is later than every instant.
    expires_at: value((row) => row.expires_at ?? NEVER),
  },
  orders: [{ by: ['user_id', { descending: 'created_at' }], covers: ['state', 'expires_at'], coversPosition: true }],
});

export const NEVER: Instant = Number.MAX_SAFE_INTEGER;
