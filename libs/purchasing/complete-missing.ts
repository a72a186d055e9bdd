import type { CommandContext, Outcome, Writer } from '#eventsourcing';
import { DomainError, eventPlace, streamName, type EventBody, type Position, type Recorded } from '#kernel';
import { coupon, type CouponCommand } from './coupon/coupon.decider.js';
import type { CouponEvent } from './coupon/coupon.events.js';
import type { CouponRow } from './coupon/coupon.row.js';
import { inventory } from './inventory/inventory.decider.js';
import type { InventoryEvent } from './inventory/inventory.events.js';
import { purchase } from './purchase/purchase.decider.js';
import { reservation } from './reservation/reservation.decider.js';

// A process that decided may have died before its followers wrote, and without a worker no work list does it. So whoever
// answers a repeat of the command first writes what is missing.

/** A reservation is placed, may expire, and may be claimed. */
const MOST_OF_RESERVATION = 3;
/** The sale of a reservation: of its hold, or of new units after that had expired. */
const SALES = ['hold-claimed.v1', 'units-sold.v1'];
/** The ends of a hold without a sale. */
const ENDS = ['hold-released.v1', 'hold-expired.v1'];

/** Picks a deal's inventory events about a reservation, or about the start of a checkout. */
export function isAbout(id: string): (event: Recorded) => boolean {
  return (event) => {
    const { data } = event as EventBody as InventoryEvent;
    return (
      ('reservation_id' in data && data.reservation_id === id) || ('purchase_id' in data && data.purchase_id === id)
    );
  };
}

/**
 * Writes the missing followers of the sale of a reservation: its end, the purchase, and a coupon for each unit.
 * @returns the position of what it wrote, if anything was missing
 * @throws Unavailable if it cannot write now
 */
export function completeSale(writer: Writer, dealId: string, id: string): Promise<Position | undefined> {
  return completeOne(writer, dealId, id, SALES);
}

/**
 * Writes the missing followers of a hold's end without a sale.
 * @returns the position of what it wrote, if anything was missing
 * @throws Unavailable if it cannot write now
 */
export function completeEnd(writer: Writer, dealId: string, id: string): Promise<Position | undefined> {
  return completeOne(writer, dealId, id, ENDS);
}

async function completeOne(
  writer: Writer,
  dealId: string,
  id: string,
  types: readonly string[],
): Promise<Position | undefined> {
  const concerns = isAbout(id);
  const reserved = await writer.events(streamName(reservation.category, id), { from: 0, most: MOST_OF_RESERVATION });
  const bought = await writer.events(streamName(purchase.category, id), { from: 0, most: 1 });
  const [placed, ...closed] = reserved;
  return writer.complete(inventory, dealId, {
    followed: [...bought, ...closed],
    // Nothing about a reservation comes before its hold.
    to: eventPlace(placed?.metadata.causation ?? '')?.revision ?? 0,
    fits: (event) => types.includes(event.type) && concerns(event),
  });
}

/**
 * Sends an operator's command to a coupon. If an earlier command has decided the same, writes its missing followers first.
 * @throws DomainError not_found | coupon_replaced | coupon_not_reissued | reissue_expired
 */
export async function correctCoupon(
  writer: Writer,
  couponId: string,
  command: CouponCommand,
  context: CommandContext,
): Promise<Outcome<CouponRow | null, CouponEvent>> {
  const complete = (): Promise<Position | undefined> => writer.complete(coupon, couponId, { from: 0 });
  try {
    const done = await writer.execute(coupon, couponId, command, context);
    return done.events.length > 0 ? done : { ...done, position: await complete() };
  } catch (error) {
    // The refusal names the replacement, so the replacement must exist.
    if (error instanceof DomainError && error.code === 'coupon_replaced') await complete();
    throw error;
  }
}
