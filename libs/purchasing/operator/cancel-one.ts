import type { CommandContext, Done, Engine } from '#eventsourcing';
import type { EventBody } from '#kernel';
import { unlessUnknown, type Charging } from '../checkout/charging.js';
import { coupon } from '../coupon/coupon.decider.js';
import type { CouponRow } from '../coupon/coupon.row.js';
import type { PurchaseEvent } from '../purchase/purchase.events.js';

/**
 * Cancels one coupon, and asks the gateway to give back what it took for it. While the gateway's word is missing the coupon is
 * cancelled all the same: the work list asks again.
 * @throws DomainError coupon_not_found | coupon_replaced
 */
export async function cancelOne(
  { loop }: Pick<Engine, 'loop'>,
  charging: Charging,
  couponId: string,
  reason: string,
  context: CommandContext,
): Promise<Done<CouponRow>> {
  const cancelled = await loop.execute(coupon, couponId, { type: 'cancel', reason }, context);
  if (cancelled.state === null) throw new Error('a cancelled coupon has a state');
  let { position } = cancelled;
  for (const follower of cancelled.followers) {
    const event = follower as EventBody as PurchaseEvent;
    if (event.type !== 'purchase-coupon-cancelled.v1' || event.data.refund === 0) continue;
    const { purchase_id, refund } = event.data;
    const settled = await unlessUnknown(charging.giveBack(purchase_id, couponId, refund, context));
    position = settled?.position ?? position;
  }
  return { row: cancelled.state, position };
}
