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
/**
 * Entries as a snapshot had them, and no change has come to them yet: copying a million of them would delay the first command of a
 * deal. `from` and `to` are places in the numbers.
 */
interface Run {
  readonly entries: Float64Array;
  readonly from: number;
  readonly to: number;
}
type Node = Leaf | Branch | Run;

const NO_ENTRIES: Leaf = [];

/**
 * A persistent table of whole numbers by id, in 16 to 20 bytes for each: it keeps 72 bits of a hash and not the id. Two ids
 * with the same hash would be counted together; among a million ids that happens with a probability of 1e-10. Somebody who
 * chooses ids can make such a pair: so only ids that the service makes may stand in it, or the log must be asked which of the
 * two is meant. A number that reaches 0 leaves the table. What it holds depends only on the present numbers, not on how they
 * came about.
 */
export class Counts {
  static readonly none = new Counts(NO_ENTRIES, 0, 1, 0, 0);

  private constructor(
    private readonly root: Node,
    /** Ids with a number other than 0. */
    readonly size: number,
    private readonly leaves: number,
    /** Ids in runs. */
    private readonly inRuns: number,
    /** Bytes of the numbers that the runs are places in. */
    private readonly runBytes: number,
  ) {}

  /** The table that had these parts. @throws RangeError if no table has these parts */
  static from(parts: Iterable<Float64Array>): Counts {
    const entries = joined([...parts]);
    assertEntries(entries);
    const size = entries.length / 2;
    if (size <= MOST_IN_LEAF) return new Counts(leafOf(entries, 0, entries.length), size, 1, 0, 0);
    return new Counts({ entries, from: 0, to: entries.length }, size, 0, size, entries.byteLength);
  }

  /** Bytes in memory, about. */
  get bytes(): number {
    const entries = (this.size - this.inRuns) * ENTRY_BYTES;
    return EMPTY_BYTES + this.leaves * LEAF_BYTES + entries + this.runBytes;
  }

  /** The number of an id; 0 without one. */
  get(id: string): number {
    return this.#at(hashOf(id));
  }

  #at(hash: Hash): number {
    let node = this.root;
    for (let bit = LOW_BITS - 1; isBranch(node); bit -= 1) node = isOne(hash.low, bit) ? node.one : node.zero;
    const entries = isLeaf(node) ? node : node.entries;
    const at = isLeaf(node) ? placeIn(node, hash) : placeInRun(node, hash);
    return isAt(entries, at, hash) ? (entries[at + 1] ?? 0) % COUNTS_BELOW : 0;
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
    const change: Change = { hash, after, leaves: this.leaves, inRuns: this.inRuns };
    const root = changed(this.root, LOW_BITS - 1, change);
    const size = this.size + (after === 0 ? -1 : 0) + (count === 0 ? 1 : 0);
    return new Counts(root, size, change.leaves, change.inRuns, change.inRuns === 0 ? 0 : this.runBytes);
  }

  /** All of it, in parts of at most 128 KiB. */
  *parts(): Generator<Float64Array> {
    let part: number[] = [];
    for (const leaf of leavesOf(this.root, LOW_BITS - 1)) {
      if (part.length + leaf.length > PART) {
        yield Float64Array.from(part);
        part = [];
      }
      for (let at = 0; at < leaf.length; at += 1) part.push(leaf[at] ?? NaN);
    }
    if (part.length > 0) yield Float64Array.from(part);
  }
}

/** A change under way; `leaves` and `inRuns` count those of the whole table. */
interface Change {
  readonly hash: Hash;
  readonly after: number;
  leaves: number;
  inRuns: number;
}

function changed(found: Node, bit: number, change: Change): Node {
  const node = isRun(found) ? opened(found, bit, change) : found;
  if (isLeaf(node)) {
    const leaf = changedLeaf(node, change);
    return leaf.length > 2 * MOST_IN_LEAF ? divided(leaf, bit, change) : leaf;
  }
  const after = isOne(change.hash.low, bit)
    ? { zero: node.zero, one: changed(node.one, bit - 1, change) }
    : { zero: changed(node.zero, bit - 1, change), one: node.one };
  if (lengthOf(after.zero) + lengthOf(after.one) > 2 * MOST_IN_LEAF) return after;
  const [zero, one] = [after.zero, after.one].map((half) => (isRun(half) ? opened(half, bit - 1, change) : half));
  change.leaves -= 1;
  return [...(zero as Leaf), ...(one as Leaf)];
}

/** The numbers of a node’s entries; Infinity for a branch, which has more than a leaf may have. */
function lengthOf(node: Node): number {
  if (isLeaf(node)) return node.length;
  return isRun(node) ? node.to - node.from : Infinity;
}

/** A run as a leaf, or as two shorter ones: those that a change does not come to stay as they are. */
function opened({ entries, from, to }: Run, bit: number, change: Change): Leaf | Branch {
  if (to - from <= 2 * MOST_IN_LEAF || bit < 0) {
    change.leaves += 1;
    change.inRuns -= (to - from) / 2;
    return leafOf(entries, from, to);
  }
  const middle = firstOne(entries, from, to, bit);
  return { zero: { entries, from, to: middle }, one: { entries, from: middle, to } };
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

/** Numbers that are not whole, so V8 keeps copies of them as doubles: the space of a new leaf. */
const ROOM: readonly number[] = new Array<number>(2 * MOST_IN_LEAF).fill(0.5);

/** A copy of some entries. A loop is far faster than `Array.from`. */
function leafOf(entries: Float64Array, from: number, to: number): Leaf {
  const leaf = to - from <= ROOM.length ? ROOM.slice(0, to - from) : new Array<number>(to - from);
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

/** The entries of each leaf; those of a run as if it were opened. */
function* leavesOf(node: Node, bit: number): Generator<ArrayLike<number>> {
  if (isLeaf(node)) {
    yield node;
    return;
  }
  if (isBranch(node)) {
    yield* leavesOf(node.zero, bit - 1);
    yield* leavesOf(node.one, bit - 1);
    return;
  }
  const { entries, from, to } = node;
  if (to - from <= 2 * MOST_IN_LEAF || bit < 0) {
    yield entries.subarray(from, to);
    return;
  }
  const middle = firstOne(entries, from, to, bit);
  yield* leavesOf({ entries, from, to: middle }, bit - 1);
  yield* leavesOf({ entries, from: middle, to }, bit - 1);
}

function isLeaf(node: Node): node is Leaf {
  return Array.isArray(node);
}

function isBranch(node: Node): node is Branch {
  return 'zero' in node;
}

function isRun(node: Node): node is Run {
  return 'from' in node;
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

/** Where an entry stands in a run, or would stand. */
function placeInRun({ entries, from, to }: Run, { low, high }: Hash): number {
  let [first, last] = [from / 2, to / 2];
  while (first < last) {
    const middle = Math.floor((first + last) / 2);
    if (isBefore(entries[2 * middle] ?? 0, entries[2 * middle + 1] ?? 0, low, high)) first = middle + 1;
    else last = middle;
  }
  return 2 * first;
}

function isBefore(low: number, second: number, otherLow: number, otherHigh: number): boolean {
  return low < otherLow || (low === otherLow && Math.floor(second / COUNTS_BELOW) < otherHigh);
}

function isAt(leaf: ArrayLike<number>, at: number, { low, high }: Hash): boolean {
  return leaf[at] === low && Math.floor((leaf[at + 1] ?? 0) / COUNTS_BELOW) === high;
}
