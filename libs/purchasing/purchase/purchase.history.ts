import type { Engine } from '#eventsourcing';
import { streamName, type EventBody, type Recorded } from '#kernel';
import { couponsFor } from '../coupon/coupon-ids.js';
import { inventoryEvents, type Units } from '../inventory/inventory.events.js';
import { reservation } from '../reservation/reservation.decider.js';
import { purchaseAfter, type PurchaseRow, type PurchaseStory } from './purchase.row.js';
import { purchasesView } from './purchase.view.js';

/** The streams that tell of one purchase. */
export async function* streamsOfPurchase(
  { loop, keyring }: Pick<Engine, 'loop' | 'keyring'>,
  id: string,
): AsyncGenerator<string> {
  const reserved = await loop.read(reservation, id);
  if (reserved.status === 'none') return;
  yield streamName('reservation', id);
  yield streamName('purchase', id);
  for (const coupon of couponsFor(keyring, id, reserved.placed.quantity)) yield streamName('coupon', coupon.id);
}

/** The purchase after an event of its story; unchanged by any other event. */
export function purchaseStateAfter(row: PurchaseRow | undefined, event: Recorded): PurchaseRow | undefined {
  return purchasesView.types.has(event.type) ? purchaseAfter(row, event as EventBody as PurchaseStory) : row;
}

/** The deal's units after an event of its inventory; undefined for any other event. */
export function unitsAfterEvent(event: Recorded): Units | undefined {
  if (!inventoryEvents.names.includes(event.type) || !('held' in event.data)) return undefined;
  const { stock, held, sold, codes_left } = event.data as Units;
  return { stock, held, sold, codes_left };
}
