import { defineView, value, type Instant } from '#kernel';
import type { CouponEvent } from './coupon.events.js';
import { couponFold, type CouponRow } from './coupon.row.js';

/** The fields that lists of coupons filter and sort by, and that coupons are found by. */
export type CouponField =
  | 'user_id'
  | 'partner_id'
  | 'deal_id'
  | 'created_at'
  | 'state'
  | 'expires_at'
  | 'barcode'
  | 'redemption_code';

const NEWEST = { descending: 'created_at' } as const;

/** Coupons by id; each index has those of one user, deal and so on in the order of their list, or with one barcode (ruling I8). */
export const couponsView = defineView<CouponRow, CouponEvent, CouponField>({
  name: 'coupons',
  version: 5,
  key: (event) => event.data.coupon_id,
  on: couponFold,
  fields: {
    user_id: value((row) => row.user_id),
    partner_id: value((row) => row.partner_id),
    deal_id: value((row) => row.deal_id),
    redemption_code: value((row) => row.redemption_code),
    created_at: value((row) => row.created_at),
    state: value((row) => row.state),
    // A coupon without an expiry never expires: its value is later than every instant.
    expires_at: value((row) => row.expires_at ?? NEVER),
    barcode: value((row) => row.barcode),
  },
  orders: [
    { by: ['user_id', NEWEST], covers: ['state', 'expires_at'], coversPosition: true },
    { by: ['partner_id', NEWEST], covers: [] },
    { by: ['deal_id', NEWEST], covers: [] },
    // Without the partner: hardly two coupons of an installation have one barcode.
    { by: ['barcode', NEWEST], covers: [] },
    { by: ['redemption_code', NEWEST], covers: [], sparse: true },
    { by: [NEWEST], covers: [] },
  ],
});

export const NEVER: Instant = Number.MAX_SAFE_INTEGER;
