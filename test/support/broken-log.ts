import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Recorded } from '#kernel';
import type { Json } from './running-service.js';

/** An event of a log as somebody with an editor sees it: everything can be changed. */
export interface LogRow {
  position: bigint;
  id: string;
  stream: string;
  revision: number;
  type: string;
  time: number;
  command_id: string;
  correlation: string;
  causation: string | null;
  actor: string;
  data: Json;
}

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

/** The ways to break a log by hand that every check of it is tried with. */
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

/** Rows that can be changed, from events. */
export const rowsOf = (events: readonly Recorded[]): LogRow[] =>
  events.map(({ metadata, data, position, id, stream, revision, type }) => ({
    ...{ position, id, stream, revision, type, ...metadata },
    data: structuredClone(data),
  }));

/** Events from rows. */
export const eventsFrom = (rows: readonly LogRow[]): readonly Recorded[] =>
  rows.map(({ position, id, stream, revision, type, data, ...metadata }) => ({
    ...{ position, id, stream, revision, type, data: structuredClone(data) },
    metadata,
  }));

/** Breaks the log in the data folder of a stopped service, which sold a deal in all ways. @returns what `change` does */
export function breakLogOf(dataDir: string, deal: string, way: Break): readonly string[] {
  const database = new DatabaseSync(join(dataDir, 'events.db'), { readBigInts: true });
  try {
    const stored = database.prepare('SELECT * FROM events ORDER BY position').all();
    const rows = stored.map((row): LogRow => {
      const { position, id, stream, revision, type, time, command_id, correlation, causation, actor, data } = row;
      return {
        ...{ position: position as bigint, id: String(id), stream: String(stream), revision: Number(revision) },
        ...{ type: String(type), time: Number(time), command_id: String(command_id), correlation: String(correlation) },
        ...{ causation: causation as string | null, actor: String(actor), data: JSON.parse(String(data)) },
      };
    });
    const changed = way.change(rows, deal);
    database.exec('BEGIN IMMEDIATE; DELETE FROM events');
    const insert = database.prepare(
      'INSERT INTO events (position, id, stream, revision, type, time, command_id, correlation, causation, actor, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    for (const row of rows) {
      const { position, id, stream, revision, type, time, command_id, correlation, causation, actor, data } = row;
      const texts = [command_id, correlation, causation, actor, JSON.stringify(data)] as const;
      insert.run(position, id, stream, revision, type, time, ...texts);
    }
    database.exec('COMMIT');
    return changed;
  } finally {
    database.close();
  }
}
