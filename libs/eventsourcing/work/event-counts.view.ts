import { value, type Position, type View } from '#kernel';

/** Positions of a part are those that differ only in their last so many bits: 64 KiB of the log. */
const PART = 16n;
/** The same for the parts of a row of parts (16 MiB), and for the rows of a row of sums (16 GiB). */
const ROW = 24n;
const SUM = 34n;

/** How many events some stretches of the log have, which follow each other. */
export interface EventCounts {
  /** Of `parts` each stretch is a part; of `sums` it is a row of parts. */
  readonly kind: 'parts' | 'sums';
  /** The number of events of each stretch, up to the last one that has any. */
  readonly counts: readonly number[];
  /** Of `parts`: how far behind the beginning of its part the first event is. */
  readonly firsts: readonly number[];
}

/** The key of a row of sums, from 0 on. */
export const sumsAt = (index: number): string => `sums/${index}`;
/** The key of a row of parts, from 0 on. */
export const partsAt = (index: number): string => `parts/${index}`;

/** Rows of parts in a row of sums. */
export const ROWS_IN_SUMS = Number(1n << (SUM - ROW));
/** Parts in a row. */
export const PARTS_IN_ROW = Number(1n << (ROW - PART));

/** The part that a position is in, from 0 on. */
export const partOf = (position: Position): number => Number(position >> PART);

/** The position of an event in a part, by how far behind its beginning it is. */
export const positionIn = (part: number, behind: number): Position => (BigInt(part) << PART) + BigInt(behind);

/**
 * Counts our events in each stretch of a log whose positions count bytes: with it, a number has a position and a position a number
 * (ruling H6.1). Each event changes two rows, whatever the log's length.
 * @param types the names of all event types
 */
export function eventCountsView(types: readonly string[]): View<EventCounts, 'kind'> {
  return {
    name: 'event-counts',
    version: 1,
    types: new Set(types),
    keys: ({ position }) => [partsAt(Number(position >> ROW)), sumsAt(Number(position >> SUM))],
    apply(row, { position }, key) {
      const kind = key.startsWith('parts/') ? 'parts' : 'sums';
      const [stretch, within] = kind === 'parts' ? [PART, ROW - PART] : [ROW, SUM - ROW];
      const place = Number(BigInt.asUintN(Number(within), position >> stretch));
      const { counts = [], firsts = [] } = row ?? {};
      const isFirst = (counts[place] ?? 0) === 0;
      return {
        kind,
        counts: withOneMore(counts, place),
        firsts: kind === 'parts' && isFirst ? withFirst(firsts, place, position) : firsts,
      };
    },
    fields: { kind: value(({ kind }) => kind) },
    indexes: [],
    orders: [],
    nearOrders: [],
  };
}

function withOneMore(counts: readonly number[], place: number): readonly number[] {
  const grown = filled(counts, place);
  grown[place] = (grown[place] ?? 0) + 1;
  return grown;
}

function withFirst(firsts: readonly number[], place: number, position: Position): readonly number[] {
  const grown = filled(firsts, place);
  grown[place] = Number(BigInt.asUintN(Number(PART), position));
  return grown;
}

/** A copy that has this place. */
function filled(numbers: readonly number[], place: number): number[] {
  const copy = [...numbers];
  while (copy.length <= place) copy.push(0);
  return copy;
}
