import { type Writer, type Keyring, type Reader } from '#eventsourcing';
import { streamName, type EventBody, type Recorded } from '#kernel';
import { couponsFor } from '../coupon/coupon-ids.js';
import type { CouponIssued } from '../coupon/coupon.events.js';
import { inventoryEvents, type Units } from '../inventory/inventory.events.js';
import type { DealSummary } from '../inventory/sale-terms.js';
import { stockEffectsView } from '../inventory/stock-effects.view.js';
import { reservation } from '../reservation/reservation.decider.js';
import { purchase } from './purchase.decider.js';
import { purchaseAfter, type PurchaseRow, type PurchaseStory } from './purchase.row.js';
import type { PurchaseState } from './purchase.state.js';
import { purchasesView } from './purchase.view.js';

/** The streams of one purchase; none for an unknown one. */
export async function streamsOfPurchase(writer: Writer, keyring: Keyring, id: string): Promise<readonly string[]> {
  const reserved = await writer.read(reservation, id);
  const bought = await writer.read(purchase, id);
  const quantity = reserved.status === 'none' ? quantityOf(bought) : reserved.placed.quantity;
  if (quantity === undefined) return [];
  const replacements = bought.status === 'sold' ? Object.values(bought.replacements) : [];
  const coupons = [...couponsFor(keyring, id, quantity).map((coupon) => coupon.id), ...replacements];
  return [
    streamName('reservation', id),
    streamName('purchase', id),
    ...coupons.map((coupon) => streamName('coupon', coupon)),
  ];
}

function quantityOf(state: PurchaseState): number | undefined {
  if (state.status === 'none') return undefined;
  return state.status === 'sold' ? state.made.quantity : state.opened.quantity;
}

/**
 * The inventory's events about the purchase's units that follow decisions of other streams, as `stream@revision`. Waits until
 * the view has reached the end of the log.
 */
export async function stockEventsOf(reader: Reader, id: string): Promise<readonly string[]> {
  await reader.until([stockEffectsView], await reader.end());
  return (await reader.of(stockEffectsView).get(id))?.row.events ?? [];
}

/** The purchase after an event of its streams; other events leave it as it is. */
export function purchaseStateAfter(row: PurchaseRow | undefined, event: Recorded): PurchaseRow | undefined {
  return purchasesView.types.has(event.type) ? purchaseAfter(row, event as EventBody as PurchaseStory) : row;
}

/** The deals as sold that these events name, each once: by the deal's id and the revision of its stream (ruling I2). */
export function dealsNamedBy(events: readonly Recorded[]): readonly Pick<DealSummary, 'id' | 'revision'>[] {
  const named = events.flatMap(({ data }) => {
    if ('deal' in data) return data.deal as DealSummary;
    return 'deal_revision' in data ? revisionOf(data as CouponIssued) : [];
  });
  return [...new Map(named.map(({ id, revision }) => [`${id}@${revision}`, { id, revision }])).values()];
}

function revisionOf({ deal_id: id, deal_revision: revision }: CouponIssued): Pick<DealSummary, 'id' | 'revision'> {
  return { id, revision };
}

/** The deal's units after an event of its inventory; undefined for any other event. */
export function unitsAfterEvent(event: Recorded): Units | undefined {
  if (!inventoryEvents.names.includes(event.type) || !('held' in event.data)) return undefined;
  const { stock, held, sold, codes_left } = event.data as Units;
  return { stock, held, sold, codes_left };
}
