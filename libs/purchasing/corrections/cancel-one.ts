import type { CommandContext, Done, Engine } from '#eventsourcing';
import { causationOf } from '#kernel';
import { unlessUnknown, type Charging } from '../checkout/charging.js';
import type { CouponRow } from '../coupon/coupon.row.js';
import { correctCoupon } from '../complete-missing.js';

/**
 * Cancels one coupon, and asks the gateway to refund its price. If the gateway does not answer, the coupon is cancelled all
 * the same, and the work list asks again.
 * @throws DomainError coupon_not_found | coupon_replaced
 */
export async function cancelOne(
  engine: Pick<Engine, 'loop' | 'log' | 'codec' | 'clock' | 'randomness'>,
  charging: Charging,
  couponId: string,
  reason: string,
  context: CommandContext,
): Promise<Done<CouponRow>> {
  await charging.usable();
  const cancelled = await correctCoupon(engine, couponId, { type: 'cancel', reason }, context);
  if (cancelled.state === null) throw new Error('a cancelled coupon has a state');
  const due = cancelled.followers.find(({ type }) => type === 'purchase-coupon-cancelled.v1');
  const from = due === undefined ? context : { ...context, causation: causationOf(due) };
  // Also if another call has cancelled the coupon: the purchase knows whether money is still due.
  const settled = await unlessUnknown(charging.giveBack(cancelled.state.purchase_id, couponId, from));
  return { row: cancelled.state, position: settled?.position ?? cancelled.position };
}
