import { List, Map } from 'immutable';
import type { StateParts } from '#kernel';
import { Bits, Counts, RecentIds, type RecentIdsPart, wholeNumber } from '#kernel/collections';
import type { CodePool, CodeRun } from './code-pool.js';
import type { Numbered } from './inventory.events.js';
import type { Checkout, Hold, InventoryState, Queued, Resale } from './inventory.state.js';

/** Entries of one part: each takes some hundred bytes at most. */
const ENTRIES = 500;
/** The numbers and units of a deal are below this (`Bits`). */
const NUMBERS_BELOW = 2 ** 32;

/** What has no parts of its own. */
type Head = Pick<InventoryState, 'terms' | 'stock' | 'held' | 'sold' | 'next_number' | 'next_unit'> & {
  readonly recent: RecentIdsPart;
  readonly pool: Omit<CodePool, 'left'> | null;
};

/** The fields, by what a part has of them. */
interface Fields {
  readonly head: Head;
  readonly holds: readonly [string, Hold];
  readonly holdsOfUser: readonly [string, readonly string[]];
  readonly queue: Queued;
  readonly checkouts: readonly [string, Checkout];
  readonly checkoutOfUser: readonly [string, string];
  readonly resales: readonly [string, Resale];
  readonly sold_numbers: Float64Array;
  readonly returned: Float64Array;
  readonly unitsOfUser: Float64Array;
  readonly left: CodeRun;
}

/** Some entries of one field. */
type Part<Name extends keyof Fields = keyof Fields> = readonly [name: Name, entries: readonly Fields[Name][]];

/** The state of a deal in parts, and back. An open checkout or resale may have a thousand coupons, so each has its own part. */
export const inventoryParts: StateParts<InventoryState> = {
  *parts(state): Generator<Part, void> {
    const { terms, stock, held, sold, next_number, next_unit, codes } = state;
    const { left = [], ...pool } = codes ?? {};
    const head = { terms, stock, held, sold, next_number, next_unit, recent: state.recent.part() };
    yield ['head', [{ ...head, pool: codes && (pool as Omit<CodePool, 'left'>) }]];
    yield* inParts('holds', state.holds, ENTRIES);
    yield* inParts('holdsOfUser', state.holdsOfUser, ENTRIES);
    yield* inParts('queue', state.queue, ENTRIES);
    yield* inParts('checkouts', state.checkouts, 1);
    yield* inParts('checkoutOfUser', state.checkoutOfUser, ENTRIES);
    yield* inParts('resales', state.resales, 1);
    yield* inParts('sold_numbers', state.sold_numbers.parts(), 1);
    yield* inParts('returned', state.returned.parts(), 1);
    yield* inParts('unitsOfUser', state.unitsOfUser.parts(), 1);
    yield* inParts('left', left, ENTRIES);
  },
  from(parts) {
    const all = <Name extends keyof Fields>(name: Name): readonly Fields[Name][] =>
      (parts as readonly Part[]).flatMap(([each, entries]) => (each === name ? (entries as Part<Name>[1]) : []));
    const [head] = all('head');
    if (head === undefined) throw new Error('a snapshot has a head');
    const { recent, pool, ...values } = head;
    const { next_number, next_unit, held, sold } = values;
    wholeNumber('the next number of a deal', next_number, NUMBERS_BELOW);
    wholeNumber('the next unit of a deal', next_unit, NUMBERS_BELOW);
    if (!Number.isSafeInteger(held) || !Number.isSafeInteger(sold)) throw new RangeError('units must be integers');
    for (const open of ['holds', 'checkouts', 'resales'] as const) assertNumbers(all(open), next_number);
    return {
      ...values,
      codes: pool && { ...pool, left: List(all('left')) },
      recent: RecentIds.from(recent),
      holds: Map(all('holds')),
      holdsOfUser: Map(all('holdsOfUser')),
      queue: List(all('queue')),
      checkouts: Map(all('checkouts')),
      checkoutOfUser: Map(all('checkoutOfUser')),
      resales: Map(all('resales')),
      sold_numbers: Bits.from(all('sold_numbers')),
      returned: Bits.from(all('returned')),
      unitsOfUser: Counts.from(all('unitsOfUser')),
    };
  },
};

/** @throws RangeError if what is open has a number that the deal has not given out yet */
function assertNumbers(open: readonly (readonly [string, Numbered])[], below: number): void {
  for (const [, { number }] of open) wholeNumber('the number of what is open', number, below);
}

function* inParts<Name extends keyof Fields>(
  name: Name,
  entries: Iterable<Fields[Name]>,
  most: number,
): Generator<Part<Name>, void> {
  let part: Fields[Name][] = [];
  for (const entry of entries) {
    part.push(entry);
    if (part.length < most) continue;
    yield [name, part];
    part = [];
  }
  if (part.length > 0) yield [name, part];
}
