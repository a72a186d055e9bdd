import { defineStreamRules, type Recorded } from '#kernel';
import { coupon } from '../coupon/coupon.decider.js';
import type { CouponEvent } from '../coupon/coupon.events.js';
import type { CouponRow } from '../coupon/coupon.row.js';
import { reservation } from '../reservation/reservation.decider.js';

/** A coupon is issued by a sale, redeemed at most once, and ends once. */
export const couponRules = defineStreamRules(coupon, ['coupon-issued.v1'], () => ({ check: wrongIn }));

/** A reservation only follows the inventory. */
export const reservationRules = defineStreamRules(reservation, [
  'reservation-placed.v1',
  'reservation-claimed.v1',
  'reservation-released.v1',
  'reservation-expired.v1',
]);

function wrongIn(before: CouponRow | null, { type }: Recorded<CouponEvent>): readonly string[] {
  if (type === 'coupon-issued.v1') return before === null ? [] : ['the coupon was issued before'];
  if (before === null) return ['the coupon was never issued'];
  const allowed = type === 'coupon-redeemed.v1' ? ['valid'] : ['valid', 'redeemed'];
  return allowed.includes(before.state) ? [] : [`the coupon is ${before.state} before it`];
}
