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

/**
 * Some hundred open holds, one list for each of their fields: a deal may have as many open holds as anything else, and one object
 * each would take five times as long to copy.
 */
interface Holds {
  readonly reservations: readonly string[];
  readonly numbers: Float64Array;
  readonly quantities: Float64Array;
  readonly deadlines: Float64Array;
  readonly holders: readonly Hold['holder_id'][];
  readonly maxima: readonly Hold['max_per_user'][];
}

/** Some hundred places of the queue of deadlines. */
interface Places {
  readonly reservations: readonly string[];
  readonly deadlines: Float64Array;
}

/** The fields, by what a part has of them. */
interface Fields {
  readonly head: Head;
  readonly holds: Holds;
  readonly holdsOfUser: readonly [string, readonly string[]];
  readonly queue: Places;
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
    for (const some of inLists(state.holds, ENTRIES)) yield ['holds', [holdsOf(some)]];
    yield* inParts('holdsOfUser', state.holdsOfUser, ENTRIES);
    for (const some of inLists(state.queue, ENTRIES)) yield ['queue', [placesOf(some)]];
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
    const holds = all('holds').flatMap(holdsFrom);
    for (const open of [holds, all('checkouts'), all('resales')]) assertNumbers(open, next_number);
    return {
      ...values,
      codes: pool && { ...pool, left: List(all('left')) },
      recent: RecentIds.from(recent),
      holds: Map(holds),
      holdsOfUser: Map(all('holdsOfUser')),
      queue: List(all('queue').flatMap(placesFrom)),
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

function holdsOf(entries: readonly (readonly [string, Hold])[]): Holds {
  return {
    reservations: entries.map(([reservation]) => reservation),
    numbers: Float64Array.from(entries, ([, { number }]) => number),
    quantities: Float64Array.from(entries, ([, { quantity }]) => quantity),
    deadlines: Float64Array.from(entries, ([, { deadline }]) => deadline),
    holders: entries.map(([, { holder_id }]) => holder_id),
    maxima: entries.map(([, { max_per_user }]) => max_per_user),
  };
}

function holdsFrom(some: Holds): (readonly [string, Hold])[] {
  return some.reservations.map((reservation, at) => {
    const hold = {
      number: there(some.numbers[at]),
      quantity: there(some.quantities[at]),
      deadline: there(some.deadlines[at]),
      holder_id: there(some.holders[at]),
      max_per_user: there(some.maxima[at]),
    };
    return [reservation, hold];
  });
}

function placesOf(queue: readonly Queued[]): Places {
  return {
    reservations: queue.map(({ reservation_id }) => reservation_id),
    deadlines: Float64Array.from(queue, ({ deadline }) => deadline),
  };
}

function placesFrom({ reservations, deadlines }: Places): Queued[] {
  return reservations.map((reservation_id, at) => ({ reservation_id, deadline: there(deadlines[at]) }));
}

/** @throws RangeError if one of a part’s lists is shorter than the others */
function there<T>(value: T | undefined): T {
  if (value === undefined) throw new RangeError('a part of a snapshot is too short');
  return value;
}

function* inParts<Name extends keyof Fields>(
  name: Name,
  entries: Iterable<Fields[Name]>,
  most: number,
): Generator<Part<Name>, void> {
  for (const part of inLists(entries, most)) yield [name, part];
}

function* inLists<T>(entries: Iterable<T>, most: number): Generator<readonly T[], void> {
  let part: T[] = [];
  for (const entry of entries) {
    part.push(entry);
    if (part.length < most) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
