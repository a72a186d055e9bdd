import type { Keyring, Past } from '#eventsourcing';
import { streamName, type EventBody, type Recorded } from '#kernel';
import { couponsFor } from '../coupon/coupon-ids.js';
import type { CouponEvent } from '../coupon/coupon.events.js';
import { couponAfter, type CouponRow } from '../coupon/coupon.row.js';
import { purchaseAfter, type PurchaseRow, type PurchaseStory } from './purchase.row.js';

/** Streams that are read at once. */
const TOGETHER = 100;

/** A reservation or purchase as it was; undefined if there was none (ruling G7.2). The view folds the same events in the same order. */
export async function purchaseAsOf(past: Past, keyring: Keyring, id: string): Promise<PurchaseRow | undefined> {
  const own = [
    ...(await past.events(streamName('reservation', id))),
    ...(await past.events(streamName('purchase', id))),
  ];
  const known = rowFrom(own);
  if (known === undefined) return undefined;
  const coupons = couponsFor(keyring, id, known.quantity).map((coupon) => coupon.id);
  return rowFrom([...own, ...(await eventsOfCoupons(past, coupons))]);
}

/** A coupon as it was; undefined if there was none. */
export async function couponAsOf(past: Past, id: string): Promise<CouponRow | undefined> {
  const events = await past.events(streamName('coupon', id));
  return events.reduce<CouponRow | undefined>(
    (row, event) => couponAfter(row, event as EventBody as CouponEvent),
    undefined,
  );
}

/** The events of coupons and of those that replaced them. */
async function eventsOfCoupons(past: Past, ids: readonly string[]): Promise<readonly Recorded[]> {
  const events: Recorded[] = [];
  for (let from = 0; from < ids.length; from += TOGETHER) {
    const some = ids.slice(from, from + TOGETHER).map((id) => past.events(streamName('coupon', id)));
    events.push(...(await Promise.all(some)).flat());
  }
  const replacements = events.flatMap((event) => {
    const body = event as EventBody as PurchaseStory;
    return body.type === 'coupon-reissued.v1' ? [body.data.replacement.coupon_id] : [];
  });
  return replacements.length === 0 ? events : [...events, ...(await eventsOfCoupons(past, replacements))];
}

function rowFrom(events: readonly Recorded[]): PurchaseRow | undefined {
  return events
    .toSorted((a, b) => (a.position < b.position ? -1 : 1))
    .reduce<PurchaseRow | undefined>(
      (row, event) => purchaseAfter(row, event as EventBody as PurchaseStory),
      undefined,
    );
}
