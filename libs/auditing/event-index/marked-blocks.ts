import type { Reader } from '#eventsourcing';
import { groupOf, offsetsOf } from './marks.js';
import { RowsOfTerm } from './rows-of-term.js';

/** Terms of which an event must have one of each list. */
export type Wanted = readonly (readonly string[])[];

/** A block, and the offsets where its groups may begin to have events that are wanted. */
export interface MarkedBlock {
  readonly block: number;
  /** One per group, ascending. Each is that of an event. */
  readonly offsets: readonly number[];
}

/** The marks of a block by their groups. */
type Groups = ReadonlyMap<number, number>;

/** The rows of terms that stand for each other, as one. */
class AnyOf {
  readonly #rows: readonly RowsOfTerm[];

  constructor(
    terms: readonly string[],
    reader: Pick<Reader, 'of'>,
    private readonly descending: boolean,
  ) {
    this.#rows = terms.map((term) => new RowsOfTerm(reader, term, descending));
  }

  /** The first block at this one or beyond it that has one of the terms. */
  async at(block: number): Promise<{ readonly block: number; readonly groups: Groups } | undefined> {
    const found = (await Promise.all(this.#rows.map((rows) => rows.at(block)))).flatMap((row) => row ?? []);
    if (found.length === 0) return undefined;
    const blocks = found.map((row) => row.block);
    const nearest = this.descending ? Math.max(...blocks) : Math.min(...blocks);
    const groups = new Map<number, number>();
    for (const offset of found.filter((row) => row.block === nearest).flatMap(({ marks }) => offsetsOf(marks)))
      groups.set(groupOf(offset), Math.min(offset, groups.get(groupOf(offset)) ?? offset));
    return { block: nearest, groups };
  }
}

/**
 * The blocks from one to another that may have events that are wanted, in this order, which may be descending. Now and then it gives
 * a block without any, so that others can have their turn.
 */
export async function* markedBlocks(
  reader: Pick<Reader, 'of'>,
  wanted: Wanted,
  from: number,
  to: number,
): AsyncGenerator<MarkedBlock, void, void> {
  const descending = to < from;
  const all = wanted.map((terms) => new AnyOf(terms, reader, descending));
  const isBeyond = (block: number, other: number): boolean => (descending ? block < other : block > other);
  for (let block = from; !isBeyond(block, to);) {
    const found = (await Promise.all(all.map((each) => each.at(block)))).flatMap((each) => each ?? []);
    const farthest = found.reduce((far, each) => (isBeyond(each.block, far) ? each.block : far), block);
    if (found.length < all.length || isBeyond(farthest, to)) return;
    const isShared = found.every((each) => each.block === farthest);
    yield { block: farthest, offsets: isShared ? inAll(found.map(({ groups }) => groups)) : [] };
    block = isShared ? farthest + (descending ? -1 : 1) : farthest;
  }
}

/** Per group that all have, the last of their marks: no event before it has all terms. */
function inAll(all: readonly Groups[]): readonly number[] {
  const [first = new Map<number, number>(), ...others] = all;
  return [...first]
    .filter(([group]) => others.every((groups) => groups.has(group)))
    .map(([group, offset]) => Math.max(offset, ...others.map((groups) => groups.get(group) ?? 0)))
    .toSorted((one, other) => one - other);
}
