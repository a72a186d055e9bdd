import { carryOnAll, type Engine, type Outcome } from '#eventsourcing';
import { DomainError, streamName, type EventBody, type Position, type Recorded } from '#kernel';
import { couponsFor } from './coupon/coupon-ids.js';
import { coupon, type CouponCommand } from './coupon/coupon.decider.js';
import type { CouponEvent } from './coupon/coupon.events.js';
import type { CouponRow } from './coupon/coupon.row.js';
import { couponFollowers, inventoryFollowers } from './followers.js';
import type { InventoryEvent } from './inventory/inventory.events.js';
import { purchase } from './purchase/purchase.decider.js';
import { reservation } from './reservation/reservation.decider.js';

// The process that decided may have died before it wrote what follows, and where only APIs run no work list writes it:
// whoever answers a repeat of the command writes it first.

type Parts = Pick<Engine, 'loop' | 'log' | 'codec' | 'clock' | 'randomness'>;

/**
 * Writes what is missing of what a deal's inventory has decided about a reservation, or about the start of a checkout.
 * @param id of the reservation or purchase
 * @returns how far it wrote, if it had to
 * @throws Unavailable when it cannot be written now
 */
export async function completeUnits(engine: Parts, dealId: string, id: string): Promise<Position | undefined> {
  const concerns = (event: Recorded): boolean => {
    const { data } = event as EventBody as InventoryEvent;
    return (
      ('reservation_id' in data && data.reservation_id === id) || ('purchase_id' in data && data.purchase_id === id)
    );
  };
  return carryOnAll(engine, inventoryFollowers, dealId, concerns, await placedAt(engine, id));
}

/** Whether all is written that a claim leads to: the reservation's end, the purchase, and a coupon for each unit. */
export async function isClaimWhole({ loop, keyring }: Engine, id: string, quantity: number): Promise<boolean> {
  const reserved = await loop.read(reservation, id);
  const bought = await loop.read(purchase, id);
  return (
    reserved.status === 'claimed' && bought.status === 'sold' && (await areIssued({ loop, keyring }, id, quantity))
  );
}

/** Whether every coupon of a sale is written. */
export async function areIssued(
  { loop, keyring }: Pick<Engine, 'loop' | 'keyring'>,
  purchaseId: string,
  quantity: number,
): Promise<boolean> {
  const coupons = couponsFor(keyring, purchaseId, quantity);
  return !(await Promise.all(coupons.map(({ id }) => loop.read(coupon, id)))).includes(null);
}

/** Where the deal's inventory begins to say something of a reservation: a busy deal has many thousand events. */
async function placedAt({ log }: Parts, id: string): Promise<number> {
  const [placed] = await log.readStream(streamName(reservation.category, id), 0, 1);
  return Number(placed?.metadata.causation?.split('@').at(-1) ?? 0);
}

/**
 * Sends an operator's command about a coupon. Where the coupon says that it was done before, what follows from that is
 * written first.
 * @throws DomainError not_found | coupon_replaced | coupon_not_reissued | reissue_expired
 */
export async function correctCoupon(
  engine: Parts,
  couponId: string,
  command: CouponCommand,
  context: Parameters<Engine['loop']['execute']>[3],
): Promise<Outcome<CouponRow | null, CouponEvent>> {
  const complete = (): Promise<Position | undefined> => carryOnAll(engine, couponFollowers, couponId, () => true);
  try {
    const done = await engine.loop.execute(coupon, couponId, command, context);
    return done.events.length > 0 ? done : { ...done, position: await complete() };
  } catch (error) {
    // The refusal names the coupon that took its place.
    if (error instanceof DomainError && error.code === 'coupon_replaced') await complete();
    throw error;
  }
}
