import { DomainError, type Instant } from '#kernel';
import type { CouponEvent } from './coupon.events.js';
import { couponStateAt, type CouponRow } from './coupon.row.js';

/** What a reseller's cancellation depends on besides the coupon. */
export interface GiveBack {
  /** Whether the deal is refundable. */
  readonly refundable: boolean;
  /** Units of the purchase that are not cancelled. */
  readonly units_left: number;
}

/** The reason that the log has for a reseller's cancellation. */
export const BY_RESELLER = 'the reseller cancelled it';

/** Refuses a reseller's cancellation with every reason that applies, in the order of ruling D12. */
export class NotGivenBack extends DomainError {
  constructor(readonly reasons: readonly [string, ...string[]]) {
    super('coupon_not_given_back', 'Validation failed');
  }
}

/**
 * Cancels a coupon for a reseller: only a valid one of a refundable deal (ruling D12).
 * @throws NotGivenBack
 */
export function giveBack(row: CouponRow, { refundable, units_left }: GiveBack, now: Instant): CouponEvent[] {
  const reasons = [
    ...(refundable ? [] : [`barcode ${row.barcode} is non refundable`]),
    ...(couponStateAt(row, now) === 'valid' ? [] : ['in a non refundable state']),
    ...(row.state === 'cancelled' ? ['coupons cannot already be part of another refund'] : []),
    ...(units_left === 0 ? ['you can not refund more coupons than were bought'] : []),
  ];
  const [first, ...more] = reasons;
  if (first !== undefined) throw new NotGivenBack([first, ...more]);
  return [cancelled(row, BY_RESELLER)];
}

/** The event that a coupon is cancelled. Those of card-linked deals have no unit (ruling D11). */
export function cancelled(row: CouponRow, reason: string): CouponEvent {
  const { coupon_id, purchase_id, user_id, deal_id, unit } = row;
  return { type: 'coupon-cancelled.v1', data: { coupon_id, purchase_id, user_id, deal_id, unit, reason } };
}
