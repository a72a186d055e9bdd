import { changeLogOf, type LogRow } from './log-rows.js';
import type { Json } from './running-service.js';

/** A way to break a log by hand. */
export interface Break {
  readonly name: string;
  /** What it changes. */
  readonly words: string;
  /**
   * Changes the events of a deal that `sellInAllWays` has sold; the list may lose and get events.
   * @returns the events that it changed, took away or added: `stream@revision`
   */
  change(rows: LogRow[], deal: string): readonly string[];
}

const WEEK = 7 * 86_400_000;
const at = ({ stream, revision }: LogRow): string => `${stream}@${revision}`;

/** The events of a deal's inventory with this type. */
const ofInventory = (rows: readonly LogRow[], deal: string, type: string): readonly LogRow[] =>
  rows.filter((row) => row.stream === `inventory-${deal}` && row.type === `${type}.v1`);

/** The units that the last event of a deal's inventory has. */
const unitsOf = (rows: readonly LogRow[], deal: string): Json =>
  rows.findLast(({ stream, data }) => stream === `inventory-${deal}` && 'sold' in data)?.data;

function some(rows: readonly LogRow[], index: number): LogRow {
  const row = rows.at(index);
  if (row === undefined) throw new Error('the log has no event that this way breaks');
  return row;
}

/** The first event of a stream. */
const first = (rows: readonly LogRow[], stream: string): LogRow =>
  some(
    rows.filter((row) => row.stream === stream),
    0,
  );

/** Adds an event at the end of the log and of its stream, as like another one as possible. @returns its place */
function add(rows: LogRow[], like: LogRow, changes: Partial<LogRow>): readonly string[] {
  const last = some(rows, -1);
  const row = structuredClone({ ...like, position: last.position + 1n, time: last.time, ...changes });
  row.id = `${last.id.slice(0, -4)}beef`;
  row.revision = rows.filter(({ stream }) => stream === row.stream).length;
  rows.push(row);
  return [at(row)];
}

/** Takes events out of a log. */
function remove(rows: LogRow[], gone: (row: LogRow) => boolean): readonly string[] {
  const removed = rows.filter(gone);
  rows.splice(0, rows.length, ...rows.filter((row) => !gone(row)));
  return removed.map(at);
}

/** A coupon that nobody has sold, issued at the end of the log as if the last sale had led to it. */
function addCoupon(rows: LogRow[], deal: string): { readonly coupon: LogRow; readonly sale: LogRow } {
  const sale = some(ofInventory(rows, deal, 'hold-claimed'), -1);
  const sibling = first(rows, `coupon-${sale.data.coupons[0].id}`);
  const coupon_id = `${String(sibling.data.coupon_id).slice(0, -4)}beef`;
  const coupon: LogRow = structuredClone(sibling);
  coupon.position = some(rows, -1).position + 1n;
  coupon.id = `${sibling.id.slice(0, -4)}beef`;
  coupon.stream = `coupon-${coupon_id}`;
  coupon.data = { ...coupon.data, coupon_id, barcode: '999999999999', number: sale.data.coupons.length };
  rows.push(coupon);
  return { coupon, sale };
}

/** The ways to break a log by hand that every check of it is tried with, also without a service. */
export const BREAKS: readonly Break[] = [
  {
    name: 'a unit sold twice',
    words: 'the last sale and its coupon name the unit of the first sale',
    change(rows, deal) {
      const sales = ofInventory(rows, deal, 'hold-claimed');
      const [sale, earlier] = [some(sales, -1), some(sales, 0)];
      const coupon = first(rows, `coupon-${sale.data.coupons[0].id}`);
      coupon.data.unit = sale.data.coupons[0].unit = earlier.data.coupons[0].unit;
      return [at(sale), at(coupon)];
    },
  },
  {
    name: 'a return without a cause',
    words: 'the coupon whose unit returned is not cancelled any more',
    change(rows, deal) {
      const { causation } = some(ofInventory(rows, deal, 'unit-returned'), 0);
      return remove(rows, (row) => at(row) === causation);
    },
  },
  {
    name: 'a coupon too many',
    words: 'a stream of a coupon that names a sale which does not have it',
    change: (rows, deal) => [at(addCoupon(rows, deal).coupon)],
  },
  {
    name: 'a coupon too many, in its sale too',
    words: 'the same, and the last sale names the coupon',
    change(rows, deal) {
      const { coupon, sale } = addCoupon(rows, deal);
      const [sibling] = sale.data.coupons;
      sale.data.coupons.push({ ...sibling, id: coupon.data.coupon_id, barcode: coupon.data.barcode });
      return [at(sale), at(coupon)];
    },
  },
  {
    name: 'a code twice',
    words: 'the last sale and its coupon have the code of the first sale',
    change(rows, deal) {
      const sales = ofInventory(rows, deal, 'hold-claimed');
      const [sale, earlier] = [some(sales, -1), some(sales, 0)];
      const coupon = first(rows, `coupon-${sale.data.coupons[0].id}`);
      sale.data.coupons[0].code = earlier.data.coupons[0].code;
      coupon.data.redemption_code = first(rows, `coupon-${earlier.data.coupons[0].id}`).data.redemption_code;
      return [at(sale), at(coupon)];
    },
  },
  {
    name: 'a charge without a sale',
    words: 'the stock of a purchase that is charged says that it came to nothing',
    change(rows, deal) {
      const sold = some(ofInventory(rows, deal, 'checkout-sold'), -1);
      sold.type = 'checkout-undone.v1';
      return [at(sold)];
    },
  },
  {
    name: 'held below 0',
    words: 'a released hold leaves -1 units held',
    change(rows, deal) {
      const released = some(ofInventory(rows, deal, 'hold-released'), 0);
      released.data.held = -1;
      return [at(released)];
    },
  },
  {
    name: 'a changed price',
    words: 'a purchase has half its price and amount',
    change(rows, deal) {
      const sale = some(ofInventory(rows, deal, 'hold-claimed'), 0);
      const purchase = first(rows, `purchase-${sale.data.purchase_id}`);
      purchase.data.price /= 2;
      purchase.data.amount /= 2;
      return [at(purchase)];
    },
  },
  {
    name: 'a changed actor',
    words: 'somebody else claimed',
    change(rows, deal) {
      const sale = some(ofInventory(rows, deal, 'hold-claimed'), 0);
      sale.actor = 'partner:somebody/key:1';
      return [at(sale)];
    },
  },
  {
    name: 'a time moved back a week',
    words: 'a claim was made a week earlier',
    change(rows, deal) {
      const sale = some(ofInventory(rows, deal, 'hold-claimed'), 0);
      sale.time -= WEEK;
      return [at(sale)];
    },
  },
  {
    name: 'a changed sold',
    words: 'after a sale by card, one unit less is sold',
    change(rows, deal) {
      const sold = some(ofInventory(rows, deal, 'checkout-sold'), 1);
      sold.data.sold -= 1;
      return [at(sold)];
    },
  },
  {
    name: 'a deleted coupon stream',
    words: 'a coupon of the first sale is gone',
    change(rows, deal) {
      const { id } = some(ofInventory(rows, deal, 'hold-claimed'), 0).data.coupons[1];
      return remove(rows, ({ stream }) => stream === `coupon-${id}`);
    },
  },
  {
    name: 'a deleted middle event',
    words: 'the inventory has lost a released hold',
    change(rows, deal) {
      const released = some(ofInventory(rows, deal, 'hold-released'), 0);
      return remove(rows, (row) => row === released);
    },
  },
  {
    name: 'two swapped events',
    words: 'a hold is released before it is placed',
    change(rows, deal) {
      const released = some(ofInventory(rows, deal, 'hold-released'), 0);
      const placed = some(
        rows.filter(({ stream, revision }) => stream === released.stream && revision === released.revision - 1),
        0,
      );
      for (const name of ['id', 'type', 'time', 'command_id', 'correlation', 'causation', 'actor', 'data'] as const)
        [placed[name], released[name]] = [released[name], placed[name]] as [never, never];
      return [at(placed), at(released)];
    },
  },
  {
    name: 'a maximum passed',
    words: 'the deal, its terms and its holds allow one unit for each user',
    change(rows, deal) {
      const changed = rows.filter(({ stream, type }) => {
        if (stream === `deal-${deal}`) return true;
        return stream === `inventory-${deal}` && ['terms-set.v1', 'hold-placed.v1'].includes(type);
      });
      for (const { type, data } of changed) {
        if (type === 'hold-placed.v1') data.max_per_user = 1;
        else (data.terms ?? data.attributes).max_per_user = 1;
      }
      return changed.map(at);
    },
  },
];

/** Further ways, which contradict something else than those. */
export const MORE_BREAKS: readonly Break[] = [
  {
    name: 'a changed price of a claim',
    words: 'a claim has another price than its hold',
    change(rows, deal) {
      const sale = some(ofInventory(rows, deal, 'hold-claimed'), 1);
      sale.data.price = Number(sale.data.price) + 1;
      return [at(sale)];
    },
  },
  {
    name: 'a changed actor of a purchase',
    words: 'somebody else recorded what a claim led to',
    change(rows, deal) {
      const sale = some(ofInventory(rows, deal, 'hold-claimed'), 1);
      const recorded = first(rows, `purchase-${sale.data.purchase_id}`);
      recorded.actor = 'operator:mallory';
      return [at(recorded)];
    },
  },
  {
    name: 'a hold moved back a week',
    words: 'a hold was placed a week earlier',
    change(rows, deal) {
      const placed = some(ofInventory(rows, deal, 'hold-placed'), 1);
      placed.time -= WEEK;
      return [at(placed)];
    },
  },
  {
    name: 'a changed sold of a claim',
    words: 'after a claim, one unit less is sold',
    change(rows, deal) {
      const sale = some(ofInventory(rows, deal, 'hold-claimed'), 1);
      sale.data.sold -= 1;
      return [at(sale)];
    },
  },
  {
    name: 'a deleted claim',
    words: 'the inventory has lost a claim',
    change(rows, deal) {
      const sale = some(ofInventory(rows, deal, 'hold-claimed'), 1);
      return remove(rows, (row) => row === sale);
    },
  },
  {
    name: 'two events in each other’s place',
    words: 'a claim stands where its stream had a hold before, with its own revision',
    change(rows, deal) {
      const placed = some(ofInventory(rows, deal, 'hold-placed'), 1);
      const sale = some(ofInventory(rows, deal, 'hold-claimed'), 1);
      [placed.position, sale.position] = [sale.position, placed.position];
      return [at(placed), at(sale)];
    },
  },
  {
    name: 'a return that is added',
    words: 'a unit returns at the end, and no coupon was cancelled',
    change(rows, deal) {
      const { sold, held, codes_left, stock } = unitsOf(rows, deal);
      const like = some(ofInventory(rows, deal, 'unit-returned'), -1);
      const data = { ...like.data, unit: 0, sold: sold - 1, held, codes_left, stock };
      return add(rows, like, { causation: null, data });
    },
  },
  {
    name: 'a code twice, in the sale alone',
    words: 'the last sale has the code of the first sale, and its coupon has its own',
    change(rows, deal) {
      const sales = ofInventory(rows, deal, 'hold-claimed');
      const [sale, earlier] = [some(sales, -1), some(sales, 0)];
      sale.data.coupons[0].code = earlier.data.coupons[0].code;
      return [at(sale)];
    },
  },
  {
    name: 'a charge of nobody',
    words: 'a charge at the end of a purchase that is not there',
    change(rows) {
      const charged = some(
        rows.filter(({ type }) => type === 'purchase-charged.v1'),
        0,
      );
      const data = { ...charged.data, purchase_id: 'of-nobody' };
      return add(rows, charged, { stream: 'purchase-of-nobody', causation: null, data });
    },
  },
  {
    name: 'a release that is added',
    words: 'a hold is released again at the end, and leaves -1 units held',
    change(rows, deal) {
      const { sold, codes_left, stock } = unitsOf(rows, deal);
      const released = some(ofInventory(rows, deal, 'hold-released'), 0);
      const data = { ...released.data, sold, codes_left, stock, held: -1 };
      return add(rows, released, { causation: null, data });
    },
  },
  {
    name: 'a unit sold twice, in the sale alone',
    words: 'the last sale has the unit of the first sale, and its coupon has its own',
    change(rows, deal) {
      const sales = ofInventory(rows, deal, 'hold-claimed');
      const [sale, earlier] = [some(sales, -1), some(sales, 0)];
      sale.data.coupons[0].unit = earlier.data.coupons[0].unit;
      return [at(sale)];
    },
  },
];

/** Breaks the log in the data folder of a stopped service, which sold a deal in all ways. @returns what `change` does */
export function breakLogOf(dataDir: string, deal: string, way: Break): readonly string[] {
  return changeLogOf(dataDir, (rows) => way.change(rows, deal));
}
