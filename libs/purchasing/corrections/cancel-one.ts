import { Unavailable, type CommandContext, type Done, type Writer } from '#eventsourcing';
import { causationOf } from '#kernel';
import { unlessUnknown, type Charging } from '../checkout/charging.js';
import type { CouponRow } from '../coupon/coupon.row.js';
import { correctCoupon } from '../complete-missing.js';
import { purchase } from '../purchase/purchase.decider.js';
import type { RefundBy } from '../purchase/purchase.events.js';
import { refundByOf } from '../purchase/purchase.state.js';

/** What the buyer of cancelled coupons gets back, and from whom (ruling I15). */
export interface Refund {
  readonly refund_by: RefundBy;
  /** Cents. */
  readonly amount: number;
}

/** A corrected coupon or purchase, and what its buyer gets back. */
export type Refunded<Row> = Done<Row> & { readonly refund: Refund };

/**
 * Cancels one coupon, and asks the gateway to refund its price. If the gateway does not answer, the coupon is cancelled all
 * the same, and the work list asks again.
 * @throws DomainError coupon_not_found | coupon_replaced
 * @throws Unavailable while the purchase does not know that the coupon is cancelled
 */
export async function cancelOne(
  writer: Writer,
  charging: Charging,
  couponId: string,
  reason: string,
  context: CommandContext,
): Promise<Refunded<CouponRow>> {
  await charging.usable();
  const cancelled = await correctCoupon(writer, couponId, { type: 'cancel', reason }, context);
  if (cancelled.state === null) throw new Error('a cancelled coupon has a state');
  const due = cancelled.followers.find(({ type }) => type === 'purchase-coupon-cancelled.v1');
  const from = due === undefined ? context : { ...context, causation: causationOf(due) };
  // Also if another call has cancelled the coupon: the purchase knows whether money is still due.
  const settled = await unlessUnknown(charging.giveBack(cancelled.state.purchase_id, couponId, from));
  const bought = await writer.readNow(purchase, cancelled.state.purchase_id);
  const amount = bought.status === 'sold' ? bought.cancelled.get(couponId) : undefined;
  if (bought.status !== 'sold' || amount === undefined) throw new Unavailable('the coupon is being cancelled', 5);
  const refund = { refund_by: refundByOf(bought), amount };
  return { row: cancelled.state, position: settled?.position ?? cancelled.position, refund };
}
