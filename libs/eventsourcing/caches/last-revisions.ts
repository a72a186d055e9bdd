import { hashOf } from '#kernel/collections';

/** Numbers of an entry: the two parts of the stream's hash, and the last revision plus one. */
const FIELDS = 3;
const FIRST_SLOTS = 1_024;
/** The table grows when more of its slots than this part are taken. */
const FULL = 0.6;
/** The most streams of one table: it then has some 800 MB. Others are unknown to it. */
const MOST = 2 ** 24;

/**
 * The last revision of each stream that was seen, in some 50 bytes for each: it keeps a hash of 72 bits and no name. Two names
 * with the same hash would be taken for one, so whoever finds something wrong asks the log.
 */
export class LastRevisions {
  #slots: Float64Array;
  #size = 0;

  /** @param most streams that it remembers */
  constructor(private readonly most = MOST) {
    this.#slots = new Float64Array(FIRST_SLOTS * FIELDS);
  }

  /**
   * Notes that a stream has this revision now.
   * @returns the one before; undefined if it knows none
   */
  set(stream: string, revision: number): number | undefined {
    const { low, high } = hashOf(stream);
    const at = this.#find(this.#slots, low, high);
    const before = this.#slots[at + 2] ?? 0;
    if (before === 0 && this.#size >= this.most) return undefined;
    this.#put(this.#slots, at, low, high, revision + 1);
    if (before > 0) return before - 1;
    this.#size += 1;
    if (this.#size * FIELDS > this.#slots.length * FULL) this.#grow();
    return undefined;
  }

  /** The place of a hash in the slots, or the free one that it gets. */
  #find(slots: Float64Array, low: number, high: number): number {
    const count = slots.length / FIELDS;
    for (let slot = low % count; ; slot = (slot + 1) % count) {
      const at = slot * FIELDS;
      if (slots[at + 2] === 0 || (slots[at] === low && slots[at + 1] === high)) return at;
    }
  }

  #put(slots: Float64Array, at: number, low: number, high: number, next: number): void {
    slots[at] = low;
    slots[at + 1] = high;
    slots[at + 2] = next;
  }

  #grow(): void {
    const old = this.#slots;
    const larger = new Float64Array(old.length * 2);
    for (let at = 0; at < old.length; at += FIELDS) {
      const [low = 0, high = 0, next = 0] = old.subarray(at, at + FIELDS);
      if (next > 0) this.#put(larger, this.#find(larger, low, high), low, high, next);
    }
    this.#slots = larger;
  }
}
