import { hashOf, type Hash } from './hash-of.js';
import { wholeNumber } from './whole-number.js';

/** Entries in a leaf: two of its numbers each. One more divides it. */
const MOST_IN_LEAF = 64;
/** Bits of `Hash.low`. */
const LOW_BITS = 52;
/** Bits of `Hash.high`. */
const HIGH_BITS = 20;
/** What the parts of a hash are below. */
const [LOWS, HIGHS] = [2 ** LOW_BITS, 2 ** HIGH_BITS] as const;
/** A count is below this; the number of an entry has the high part of the hash above it. */
const COUNTS_BELOW = 2 ** 32;
/** Bytes of a leaf and of the branch above it, without the entries. */
const LEAF_BYTES = 136;
const ENTRY_BYTES = 16;
const EMPTY_BYTES = 150;
/** Numbers in one part for a snapshot: 128 KiB. */
const PART = 16_384;

/** For each entry the low part of the hash, and the high part times 2 ** 32 plus the count. In the order of both. */
type Leaf = readonly number[];
/** More than `MOST_IN_LEAF` entries, divided by the next bit of the hash from the top. */
interface Branch {
  readonly zero: Node;
  readonly one: Node;
}
type Node = Leaf | Branch;

const NO_ENTRIES: Leaf = [];

/**
 * A persistent table of whole numbers by id, in 16 to 20 bytes for each: it keeps 72 bits of a hash and not the id. Two ids
 * with the same hash would be counted together; among a million ids that happens with a probability of 1e-10. Somebody who
 * chooses ids can make such a pair: so only ids that the service makes may stand in it, or the log must be asked which of the
 * two is meant. A number that reaches 0 leaves the table. What it holds depends only on the present numbers, not on how they
 * came about.
 */
export class Counts {
  static readonly none = new Counts(NO_ENTRIES, 0, 1);

  private constructor(
    private readonly root: Node,
    /** Ids with a number other than 0. */
    readonly size: number,
    private readonly leaves: number,
  ) {}

  /** The table that had these parts. @throws RangeError if no table has these parts */
  static from(parts: Iterable<Float64Array>): Counts {
    const entries = joined([...parts]);
    assertEntries(entries);
    let leaves = 0;
    const nodeOf = (from: number, to: number, bit: number): Node => {
      if (to - from <= 2 * MOST_IN_LEAF || bit < 0) {
        leaves += 1;
        return leafOf(entries, from, to);
      }
      const middle = firstOne(entries, from, to, bit);
      return { zero: nodeOf(from, middle, bit - 1), one: nodeOf(middle, to, bit - 1) };
    };
    const root = nodeOf(0, entries.length, LOW_BITS - 1);
    return new Counts(root, entries.length / 2, leaves);
  }

  /** Bytes in memory, about. */
  get bytes(): number {
    return EMPTY_BYTES + this.leaves * LEAF_BYTES + this.size * ENTRY_BYTES;
  }

  /** The number of an id; 0 without one. */
  get(id: string): number {
    return this.#at(hashOf(id));
  }

  #at(hash: Hash): number {
    let node = this.root;
    for (let bit = LOW_BITS - 1; !isLeaf(node); bit -= 1) node = isOne(hash.low, bit) ? node.one : node.zero;
    const at = placeIn(node, hash);
    return isAt(node, at, hash) ? (node[at + 1] ?? 0) % COUNTS_BELOW : 0;
  }

  /**
   * The table after an id's number has changed by so much. It stays between 0 and 2 ** 32 - 1, because folds never throw.
   * @throws RangeError for a difference that is not whole
   */
  plus(id: string, difference: number): Counts {
    wholeNumber('the amount of a change of a count', Math.abs(difference));
    const hash = hashOf(id);
    const count = this.#at(hash);
    const after = Math.min(Math.max(count + difference, 0), COUNTS_BELOW - 1);
    if (after === count) return this;
    const change: Change = { hash, after, leaves: this.leaves };
    const root = changed(this.root, LOW_BITS - 1, change);
    return new Counts(root, this.size + (after === 0 ? -1 : 0) + (count === 0 ? 1 : 0), change.leaves);
  }

  /** All of it, in parts of at most 128 KiB. */
  *parts(): Generator<Float64Array> {
    let part: number[] = [];
    for (const leaf of leavesOf(this.root)) {
      if (part.length + leaf.length > PART) {
        yield Float64Array.from(part);
        part = [];
      }
      part.push(...leaf);
    }
    if (part.length > 0) yield Float64Array.from(part);
  }
}

/** A change under way; `leaves` counts those of the whole table. */
interface Change {
  readonly hash: Hash;
  readonly after: number;
  leaves: number;
}

function changed(node: Node, bit: number, change: Change): Node {
  if (isLeaf(node)) {
    const leaf = changedLeaf(node, change);
    return leaf.length > 2 * MOST_IN_LEAF ? divided(leaf, bit, change) : leaf;
  }
  const after = isOne(change.hash.low, bit)
    ? { zero: node.zero, one: changed(node.one, bit - 1, change) }
    : { zero: changed(node.zero, bit - 1, change), one: node.one };
  const { zero, one } = after;
  if (!isLeaf(zero) || !isLeaf(one) || zero.length + one.length > 2 * MOST_IN_LEAF) return after;
  change.leaves -= 1;
  return [...zero, ...one];
}

function changedLeaf(leaf: Leaf, { hash, after }: Change): Leaf {
  const at = placeIn(leaf, hash);
  const isKnown = isAt(leaf, at, hash);
  if (after === 0) return leaf.toSpliced(at, 2);
  const second = hash.high * COUNTS_BELOW + after;
  if (!isKnown) return leaf.toSpliced(at, 0, hash.low, second);
  const copy = leaf.slice();
  copy[at + 1] = second;
  return copy;
}

/** A leaf with too many entries as a branch. All of them in one half is possible, and then that half is divided again. */
function divided(leaf: Leaf, bit: number, change: Change): Node {
  if (leaf.length <= 2 * MOST_IN_LEAF || bit < 0) return leaf;
  const middle = firstOne(leaf, 0, leaf.length, bit);
  change.leaves += 1;
  return {
    zero: divided(leaf.slice(0, middle), bit - 1, change),
    one: divided(leaf.slice(middle), bit - 1, change),
  };
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A copy of some entries. A loop is far faster than `Array.from`. */
function leafOf(entries: Float64Array, from: number, to: number): Leaf {
  const leaf = new Array<number>(to - from);
  for (let at = from; at < to; at += 1) leaf[at - from] = entries[at] ?? NaN;
  return leaf;
}

/**
 * There may be a million: so each is asked for its faults only if it has one.
 * @throws RangeError if these are not the numbers of entries, in their order
 */
function assertEntries(entries: Float64Array): void {
  wholeNumber('what the last entry of a table of counts lacks', entries.length % 2, 1);
  let lowBefore = -1;
  let highBefore = 0;
  for (let at = 0; at < entries.length; at += 2) {
    const low = entries[at] ?? NaN;
    const second = entries[at + 1] ?? NaN;
    const high = Math.floor(second / COUNTS_BELOW);
    const count = second - high * COUNTS_BELOW;
    const isEntry = low >= 0 && low < LOWS && low === Math.floor(low) && count >= 1 && count === Math.floor(count);
    if (!isEntry || !(high >= 0 && high < HIGHS)) assertEntry(low, high, count);
    if (low < lowBefore || (low === lowBefore && high <= highBefore))
      throw new RangeError('the entries of a table of counts must be in the order of their hashes');
    lowBefore = low;
    highBefore = high;
  }
}

/** @throws RangeError with what is wrong with the numbers of an entry */
function assertEntry(low: number, high: number, count: number): void {
  wholeNumber('the low part of a hash', low, LOWS);
  wholeNumber('the high part of a hash', high, HIGHS);
  wholeNumber('what a count is above 1', count - 1, COUNTS_BELOW - 1);
}

function* leavesOf(node: Node): Generator<Leaf> {
  if (isLeaf(node)) {
    yield node;
    return;
  }
  yield* leavesOf(node.zero);
  yield* leavesOf(node.one);
}

function isLeaf(node: Node): node is Leaf {
  return Array.isArray(node);
}

/** The value of each bit: a look-up is faster than a power. */
const VALUES = Array.from({ length: LOW_BITS }, (_, bit) => 2 ** bit);

function isOne(low: number, bit: number): boolean {
  return Math.floor(low / (VALUES[bit] ?? 1)) % 2 === 1;
}

/** Where the first of some entries stands whose hash has this bit; they are in order, and have the same bits above it. */
function firstOne(entries: ArrayLike<number>, from: number, to: number, bit: number): number {
  let [low, high] = [from / 2, to / 2];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isOne(entries[2 * middle] ?? 0, bit)) high = middle;
    else low = middle + 1;
  }
  return 2 * low;
}

/** Where an entry stands in a leaf, or would stand. */
function placeIn(leaf: Leaf, { low, high }: Hash): number {
  let at = 0;
  while (at < leaf.length && isBefore(leaf[at] ?? 0, leaf[at + 1] ?? 0, low, high)) at += 2;
  return at;
}

function isBefore(low: number, second: number, otherLow: number, otherHigh: number): boolean {
  return low < otherLow || (low === otherLow && Math.floor(second / COUNTS_BELOW) < otherHigh);
}

function isAt(leaf: Leaf, at: number, { low, high }: Hash): boolean {
  return leaf[at] === low && Math.floor((leaf[at + 1] ?? 0) / COUNTS_BELOW) === high;
}
