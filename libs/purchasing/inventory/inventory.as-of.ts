import type { Past } from '#eventsourcing';
import { streamName, type EventBody, type Instant } from '#kernel';
import type { InventoryEvent, Units } from './inventory.events.js';

/** The units of a deal at a time, and how many units of holds had run out by then without an event that says so (ruling D1). */
export interface UnitsThen {
  /** Null before the first event that has units. */
  readonly units: Units | null;
  readonly ranOut: number;
}

/** The units of a deal as they were (ruling G7.2). It reads back from the last event, only as far as the open holds need. */
export async function unitsAsOf(past: Past, dealId: string, now: Instant): Promise<UnitsThen> {
  let units: Units | null = null;
  /** Held units of which no start is found yet. */
  let unknown = 0;
  let ranOut = 0;
  const closed = new Set<number>();
  for await (const event of past.back(streamName('inventory', dealId))) {
    const { type, data } = event as EventBody as InventoryEvent;
    if (type === 'terms-set.v1') continue;
    if (units === null) {
      const { stock, held, sold, codes_left } = data;
      units = { stock, held, sold, codes_left };
      unknown = held;
    }
    switch (type) {
      case 'hold-placed.v1':
      case 'checkout-started.v1':
      case 'resale-started.v1':
        if (closed.delete(data.number)) break;
        unknown -= data.quantity;
        if (type === 'hold-placed.v1' && data.deadline <= now) ranOut += data.quantity;
        break;
      case 'hold-released.v1':
      case 'hold-expired.v1':
      case 'hold-claimed.v1':
      case 'checkout-sold.v1':
      case 'checkout-undone.v1':
      case 'resale-sold.v1':
      case 'resale-undone.v1':
        closed.add(data.number);
        break;
      case 'units-sold.v1':
      case 'stock-set.v1':
      case 'codes-added.v1':
      case 'unit-returned.v1':
        break;
    }
    if (unknown <= 0) break;
  }
  return { units, ranOut };
}
