import { writeAllMissingFollowers, type Engine, type Outcome } from '#eventsourcing';
import { DomainError, streamName, type EventBody, type Position, type Recorded } from '#kernel';
import { couponsFor } from './coupon/coupon-ids.js';
import { coupon, type CouponCommand } from './coupon/coupon.decider.js';
import type { CouponEvent } from './coupon/coupon.events.js';
import type { CouponRow } from './coupon/coupon.row.js';
import { couponFollowers, inventoryFollowers } from './followers.js';
import type { InventoryEvent } from './inventory/inventory.events.js';
import { purchase } from './purchase/purchase.decider.js';
import { reservation } from './reservation/reservation.decider.js';

// A process that decided may have died before its followers wrote, and without a worker no work list does it. So whoever
// answers a repeat of the command first writes what is missing.

type Parts = Pick<Engine, 'loop' | 'log' | 'codec' | 'clock' | 'randomness'>;

/**
 * Writes the missing followers of a deal's inventory events about a reservation, or about the start of a checkout.
 * @param id of the reservation or purchase
 * @returns the position of what it wrote, if anything was missing
 * @throws Unavailable if it cannot write now
 */
export async function completeUnits(engine: Parts, dealId: string, id: string): Promise<Position | undefined> {
  const concerns = (event: Recorded): boolean => {
    const { data } = event as EventBody as InventoryEvent;
    return (
      ('reservation_id' in data && data.reservation_id === id) || ('purchase_id' in data && data.purchase_id === id)
    );
  };
  return writeAllMissingFollowers(engine, inventoryFollowers, dealId, concerns, await placedAt(engine, id));
}

/** Whether all followers of a claim are written: the reservation's end, the purchase, and a coupon for each unit. */
export async function isClaimWhole(
  { loop, keyring }: Pick<Engine, 'loop' | 'keyring'>,
  id: string,
  quantity: number,
): Promise<boolean> {
  const reserved = await loop.read(reservation, id);
  const bought = await loop.read(purchase, id);
  return (
    reserved.status === 'claimed' && bought.status === 'sold' && (await areIssued({ loop, keyring }, id, quantity))
  );
}

/** Whether every coupon of a sale exists. */
export async function areIssued(
  { loop, keyring }: Pick<Engine, 'loop' | 'keyring'>,
  purchaseId: string,
  quantity: number,
): Promise<boolean> {
  const coupons = couponsFor(keyring, purchaseId, quantity);
  return !(await Promise.all(coupons.map(({ id }) => loop.read(coupon, id)))).includes(null);
}

/** The revision of the inventory's first event about a reservation, so that nobody reads all events of a busy deal. */
async function placedAt({ log }: Parts, id: string): Promise<number> {
  const [placed] = await log.readStream(streamName(reservation.category, id), 0, 1);
  return Number(placed?.metadata.causation?.split('@').at(-1) ?? 0);
}

/**
 * Sends an operator's command to a coupon. If an earlier command has decided the same, writes its missing followers first.
 * @throws DomainError not_found | coupon_replaced | coupon_not_reissued | reissue_expired
 */
export async function correctCoupon(
  engine: Parts,
  couponId: string,
  command: CouponCommand,
  context: Parameters<Engine['loop']['execute']>[3],
): Promise<Outcome<CouponRow | null, CouponEvent>> {
  const complete = (): Promise<Position | undefined> =>
    writeAllMissingFollowers(engine, couponFollowers, couponId, () => true);
  try {
    const done = await engine.loop.execute(coupon, couponId, command, context);
    return done.events.length > 0 ? done : { ...done, position: await complete() };
  } catch (error) {
    // The refusal names the replacement, so the replacement must exist.
    if (error instanceof DomainError && error.code === 'coupon_replaced') await complete();
    throw error;
  }
}
