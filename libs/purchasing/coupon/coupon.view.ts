import { defineView, value, type Instant } from '#kernel';
import type { CouponEvent } from './coupon.events.js';
import { couponFold, type CouponRow } from './coupon.row.js';

/** The fields that lists of coupons filter and sort by, and that coupons are found by. */
export type CouponField = 'user_id' | 'created_at' | 'state' | 'expires_at' | 'barcode';

/** Coupons by id; one index has a user's coupons in the order of their list, another one the barcodes (ruling I8). */
export const couponsView = defineView<CouponRow, CouponEvent, CouponField>({
  name: 'coupons',
  version: 4,
  key: (event) => event.data.coupon_id,
  on: couponFold,
  fields: {
    user_id: value((row) => row.user_id),
    created_at: value((row) => row.created_at),
    state: value((row) => row.state),
    // A coupon without an expiry never expires: its value is later than every instant.
    expires_at: value((row) => row.expires_at ?? NEVER),
    barcode: value((row) => row.barcode),
  },
  // Without the partner: hardly two coupons of an installation have one barcode.
  indexes: [['barcode']],
  orders: [{ by: ['user_id', { descending: 'created_at' }], covers: ['state', 'expires_at'], coversPosition: true }],
});

export const NEVER: Instant = Number.MAX_SAFE_INTEGER;
