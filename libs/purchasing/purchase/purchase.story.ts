import { Unavailable, type Engine } from '#eventsourcing';
import { streamName, type Decided, type EventBody } from '#kernel';
import { couponsFor } from '../coupon/coupon-ids.js';
import { purchaseAfter, type PurchaseRow, type PurchaseStory } from './purchase.row.js';

const ORDER = ['reservation', 'purchase', 'coupon'];

/** The row that these events of a purchase's own streams make, starting from nothing. */
export function rowFrom(events: readonly Decided[]): PurchaseRow | undefined {
  const rank = (event: Decided): number => ORDER.indexOf(event.stream.slice(0, event.stream.indexOf('-')));
  return events
    .filter((event) => rank(event) >= 0)
    .toSorted((a, b) => rank(a) - rank(b))
    .reduce<PurchaseRow | undefined>(
      (row, event) => purchaseAfter(row, event as EventBody as PurchaseStory),
      undefined,
    );
}

/**
 * A fulfilled purchase as the log tells it.
 * @throws Unavailable while what follows its sale is not all written (a crash came between)
 */
export async function readPurchase(engine: Engine, id: string, quantity: number): Promise<PurchaseRow> {
  const streams = [
    streamName('purchase', id),
    ...couponsFor(engine.keyring, id, quantity).map((coupon) => streamName('coupon', coupon.id)),
  ];
  const pages = await Promise.all(streams.map((stream) => engine.log.readStream(stream, 0, 100)));
  const row = rowFrom(pages.flat().map((event) => engine.codec.decode(event)));
  if (row === undefined || row.coupons.length < quantity) {
    throw new Unavailable('the purchase is being completed', 5);
  }
  return row;
}
