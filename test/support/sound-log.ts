import { expect } from '@jest/globals';
import { idOf, type Recorded } from '#kernel';
import { codec } from '#platform/model';
import { noInventory, type InventoryEvent } from '#purchasing/model';

/** One deal's units after an event, by the log. */
export interface UnitsAt {
  readonly position: bigint;
  readonly stock: number | null;
  readonly held: number;
  readonly sold: number;
}

/** Units of every deal at every position, counted from quantities alone. The counters in the events must agree. */
export function unitsByDeal(events: readonly Recorded[]): ReadonlyMap<string, readonly UnitsAt[]> {
  const deals = new Map<string, { units: UnitsAt[]; holds: Map<string, number> }>();
  for (const stored of events) {
    if (!stored.stream.startsWith('inventory-')) continue;
    const recorded = codec.decode(stored);
    let deal = deals.get(recorded.stream);
    if (deal === undefined) deals.set(recorded.stream, (deal = { units: [], holds: new Map() }));
    const before = deal.units.at(-1) ?? { stock: noInventory.stock, held: 0, sold: 0 };
    const after = { ...counted(before, recorded as Recorded<InventoryEvent>, deal.holds), position: recorded.position };
    if ('held' in recorded.data) {
      const stated = recorded.data as UnitsAt;
      if (stated.stock !== after.stock || stated.held !== after.held || stated.sold !== after.sold) {
        throw new Error(
          `${recorded.stream}@${recorded.revision} says ${JSON.stringify(stated)}, which does not add up`,
        );
      }
    }
    deal.units.push(after);
  }
  return new Map([...deals].map(([stream, { units }]) => [idOf(stream), units]));
}

function counted(
  { stock, held, sold }: Omit<UnitsAt, 'position'>,
  event: Recorded<InventoryEvent>,
  holds: Map<string, number>,
): Omit<UnitsAt, 'position'> {
  const close = (reservation: string): number => {
    const quantity = holds.get(reservation);
    if (quantity === undefined) throw new Error(`${event.stream}@${event.revision} closes a hold that is not open`);
    holds.delete(reservation);
    return quantity;
  };
  switch (event.type) {
    case 'stock-set.v1':
      return { stock: event.data.stock, held, sold };
    case 'hold-placed.v1':
      holds.set(event.data.reservation_id, event.data.quantity);
      return { stock, held: held + event.data.quantity, sold };
    case 'hold-released.v1':
    case 'hold-expired.v1':
      return { stock, held: held - close(event.data.reservation_id), sold };
    case 'hold-claimed.v1':
      return { stock, held: held - close(event.data.purchase_id), sold: sold + event.data.quantity };
    case 'units-sold.v1':
      return { stock, held, sold: sold + event.data.quantity };
    case 'checkout-started.v1':
      holds.set(event.data.purchase_id, event.data.quantity);
      return { stock, held: held + event.data.quantity, sold };
    case 'checkout-sold.v1':
      return { stock, held: held - close(event.data.purchase_id), sold: sold + event.data.quantity };
    case 'checkout-undone.v1':
      return { stock, held: held - close(event.data.purchase_id), sold };
    case 'resale-started.v1':
      holds.set(event.data.resale_id, event.data.quantity);
      return { stock, held: held + event.data.quantity, sold };
    case 'resale-sold.v1':
      return { stock, held: held - close(event.data.resale_id), sold: sold + event.data.quantity };
    case 'resale-undone.v1':
      return { stock, held: held - close(event.data.resale_id), sold };
    case 'unit-returned.v1':
      return { stock, held, sold: sold - 1 };
    case 'terms-set.v1':
    case 'codes-added.v1':
      return { stock, held, sold };
  }
}

/**
 * Expects what must be true of every log: held + sold ≤ stock at every position of every deal, each sale with its purchase and
 * exactly its coupons, followers with their decision's instant.
 */
export function expectSoundLog(events: readonly Recorded[]): void {
  for (const [deal, units] of unitsByDeal(events)) {
    const oversold = units.filter(({ stock, held, sold }) => stock !== null && held + sold > stock);
    expect({ deal, oversold }).toEqual({ deal, oversold: [] });
  }
  expectWholeSales(events);
  const times = new Map(events.map(({ stream, revision, metadata }) => [`${stream}@${revision}`, metadata.time]));
  const moved = events.filter(
    ({ stream, metadata: { causation, time } }) =>
      // An event caused by an earlier event of its own stream is a decision, with an instant of its own.
      causation !== null && !causation.startsWith(`${stream}@`) && times.get(causation) !== time,
  );
  expect(moved.map(({ stream, revision }) => `${stream}@${revision}`)).toEqual([]);
}

interface Sale {
  readonly purchase_id: string;
  readonly coupons: readonly { readonly id: string }[];
  readonly quantity: number;
}

/** Each sale has its purchase and exactly its coupons, whoever took the money; each charge has sold its units. */
function expectWholeSales(events: readonly Recorded[]): void {
  const ofTypes = (...types: string[]): Recorded[] => events.filter(({ type }) => types.includes(type));
  const ids = (of: readonly Recorded[]): string[] => of.map(({ data }) => (data as Sale).purchase_id).sort();
  const claimed = ofTypes('hold-claimed.v1', 'units-sold.v1');
  const charged = ofTypes('purchase-charged.v1');
  expect(ids(ofTypes('purchase-recorded.v1'))).toEqual(ids(claimed));
  expect(ids(ofTypes('purchase-opened.v1'))).toEqual(ids(ofTypes('checkout-started.v1')));
  expect(ids(ofTypes('checkout-sold.v1'))).toEqual(ids(charged));
  const unsold = ofTypes('purchase-declined.v1', 'purchase-voided.v1');
  expect(ids(ofTypes('checkout-undone.v1'))).toEqual(ids(unsold));

  const resold = ofTypes('purchase-resold.v1');
  const resales = (of: readonly Recorded[]): string[] =>
    of.flatMap(({ data }) => (data as { readonly resale_id: string | null }).resale_id ?? []).sort();
  expect(resales(ofTypes('resale-sold.v1'))).toEqual(resales(resold));
  expect(resales(ofTypes('resale-undone.v1'))).toEqual(resales(ofTypes('purchase-resale-abandoned.v1')));
  expect(new Set(ids(resold)).size).toBe(resold.length);

  const paidFor = new Set(ids(charged));
  const due = [...claimed, ...resold, ...ofTypes('purchase-opened.v1')].flatMap(({ data, type }) => {
    const sale = data as Sale;
    expect(sale.coupons).toHaveLength(sale.quantity);
    const paid = type !== 'purchase-opened.v1' || paidFor.has(sale.purchase_id);
    return paid ? sale.coupons.map(({ id }) => `${sale.purchase_id}/${id}`) : [];
  });
  const again = ofTypes('coupon-reissued.v1').map(({ data }) => {
    const { purchase_id, replacement } = data as { purchase_id: string; replacement: { coupon_id: string } };
    return `${purchase_id}/${replacement.coupon_id}`;
  });
  const issued = ofTypes('coupon-issued.v1').map(({ data }) => {
    const { purchase_id, coupon_id } = data as { purchase_id: string; coupon_id: string };
    return `${purchase_id}/${coupon_id}`;
  });
  expect(issued.sort()).toEqual([...due, ...again].sort());
}
