import { showsRow, Unavailable, type Writer, type Keyring } from '#eventsourcing';
import { categoryOf, streamName, type Decided, type EventBody, type Recorded } from '#kernel';
import { couponsFor } from '../coupon/coupon-ids.js';
import { purchaseAfter, type PurchaseRow, type PurchaseStory } from './purchase.row.js';

const ORDER = ['reservation', 'purchase', 'coupon'];

/** Folds these events of a purchase's streams into a new row. */
export function rowFrom(events: readonly Decided[]): PurchaseRow | undefined {
  const rank = (event: Decided): number => ORDER.indexOf(categoryOf(event.stream));
  return events
    .filter((event) => rank(event) >= 0)
    .toSorted((a, b) => rank(a) - rank(b))
    .reduce<PurchaseRow | undefined>(
      (row, event) => purchaseAfter(row, event as EventBody as PurchaseStory),
      undefined,
    );
}

/**
 * Reads a fulfilled purchase from the log.
 * @throws Unavailable while a follower of its sale is missing (a crash came in between)
 */
export async function readPurchase(
  writer: Writer,
  keyring: Keyring,
  id: string,
  quantity: number,
): Promise<PurchaseRow> {
  const own = await writer.events(streamName('purchase', id));
  const coupons = await readCoupons(
    writer,
    couponsFor(keyring, id, quantity).map((coupon) => coupon.id),
  );
  const events = [...own, ...coupons];
  for (const { position } of events) showsRow(position);
  const row = rowFrom(events);
  if (row === undefined || row.coupons.length < quantity) {
    throw new Unavailable('the purchase is being completed', 5);
  }
  return row;
}

/**
 * Reads a purchase without a sale from the log: it has no coupons.
 * @throws Unavailable if the log has lost the purchase: an older copy of the log was put back since the caller found it
 */
export async function readUnsold(writer: Writer, id: string): Promise<PurchaseRow> {
  const events = await writer.events(streamName('purchase', id));
  showsRow(events.at(-1)?.position);
  const row = rowFrom(events);
  if (row === undefined) throw new Unavailable('the event log does not have the purchase any more', 5);
  return row;
}

/** The events of coupons and of their replacements. */
async function readCoupons(writer: Writer, ids: readonly string[]): Promise<readonly Recorded[]> {
  if (ids.length === 0) return [];
  const events = (await Promise.all(ids.map((id) => writer.events(streamName('coupon', id))))).flat();
  const replacements = events.flatMap((event) => {
    const body = event as EventBody as PurchaseStory;
    return body.type === 'coupon-reissued.v1' ? [body.data.replacement.coupon_id] : [];
  });
  return [...events, ...(await readCoupons(writer, replacements))];
}
