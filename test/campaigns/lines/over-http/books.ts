import type { Recorded } from '#kernel';
import { oversoldAndShortened, type Faults } from '../books.js';
import type { Yes } from './callers.js';

interface Data {
  readonly reservation_id?: string;
  readonly purchase_id?: string;
  readonly coupon_id?: string;
  readonly quantity?: number;
}

/** The events behind each success, in a deal's inventory. */
const MEANS: Readonly<Record<Yes['what'], readonly string[]>> = {
  held: ['hold-placed.v1'],
  charging: ['checkout-started.v1'],
  sold: ['hold-claimed.v1', 'checkout-sold.v1'],
};

/**
 * The broken promises in a log, to callers and to the rules, computed only from events.
 * @returns as `Faults`; `unknown`: purchases that were sold though nobody got an answer; `words`: what is missing or unknown
 */
export function faultsIn(
  events: readonly Recorded[],
  successes: readonly Yes[],
): Faults & { readonly unknown: number; readonly words: readonly string[] } {
  const streams = Map.groupBy(events, ({ stream }) => stream);
  const positions = new Set(events.map(({ position }) => position));
  const issued = new Set(
    events.filter(({ type }) => type === 'coupon-issued.v1').map(({ data }) => (data as Data).coupon_id),
  );
  let [oversold, missing, moved, unknown] = [0, 0, 0, 0];
  const words: string[] = [];
  for (const [stream, own] of streams) {
    if (!stream.startsWith('inventory-')) continue;
    const added = oversoldAndShortened(own);
    oversold += added.oversold;
    moved += added.moved;
    const ofDeal = successes.filter(({ deal }) => stream === `inventory-${deal}`);
    for (const yes of ofDeal) {
      const { what, id, quantity, position, coupons } = yes;
      const there = own.filter(({ type, data }) => MEANS[what].includes(type) && idOf(data as Data) === id);
      const isWhole = there.length === 1 && (there[0]?.data as Data).quantity === quantity;
      // The answer's position is that of everything written with it.
      const isAt = position === undefined || (positions.has(position) && position >= (there[0]?.position ?? 0n));
      const lacking = coupons.filter((coupon) => !issued.has(coupon));
      if (isWhole && isAt && lacking.length === 0) continue;
      missing += 1;
      words.push(
        `${shown(yes)}: whole ${isWhole}, at its place ${isAt}, lacks ${lacking.length}; there ${shown(there)}`,
      );
    }
    const known = new Set(ofDeal.filter(({ what }) => what !== 'held').map(({ id }) => id));
    const sales = own.filter(({ type }) => MEANS.sold.includes(type));
    const nobodys = sales.filter(({ data }) => !known.has(idOf(data as Data) ?? ''));
    unknown += nobodys.length;
    if (nobodys.length > 0) words.push(`nobody knows of ${shown(nobodys)}`);
  }
  return { oversold, missing, moved, unknown, words };
}

function idOf({ reservation_id, purchase_id }: Data): string | undefined {
  return purchase_id ?? reservation_id;
}

function shown(what: object): string {
  return JSON.stringify(what, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
