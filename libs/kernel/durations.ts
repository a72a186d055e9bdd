/** The shortest duration that has a bucket of its own, in milliseconds. */
const SHORTEST = 1 / 16;
/** Buckets for each doubling: a duration is known to a fifth. */
const IN_A_DOUBLING = 4;
/** From a sixteenth of a millisecond to 65 seconds. */
const DOUBLINGS = 21;
const BUCKETS = DOUBLINGS * IN_A_DOUBLING + 1;

/** How many durations each bucket has, without the empty ones: the number of a bucket, then its count, and so on. */
export type SparseCounts = readonly number[];

/**
 * Counts how long things took. All have the same buckets, so the counts of several processes, or of several seconds, can be added:
 * the quantile of a sum is right, where that of quantiles would not be.
 */
export class Durations {
  /** How many there were in each bucket; those that took longer than the last bound are in the last one. */
  readonly #counts = new Float64Array(BUCKETS);
  /** Milliseconds in all. */
  sum = 0;
  count = 0;

  note(milliseconds: number): void {
    const bucket = Math.ceil(Math.log2(milliseconds / SHORTEST) * IN_A_DOUBLING);
    const place = bucket > 0 ? Math.min(bucket, BUCKETS - 1) : 0;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    this.sum += milliseconds;
    this.count += 1;
  }

  /** How many took at most as long as this bound of `doublings`. */
  within(bound: number): number {
    const last = Math.round(Math.log2(bound / SHORTEST)) * IN_A_DOUBLING;
    return this.#counts.subarray(0, last + 1).reduce((sum, each) => sum + each, 0);
  }

  /** What was counted since the counts that were kept then; it keeps the present ones there. */
  since(before: Float64Array): SparseCounts {
    const news: number[] = [];
    for (const [bucket, count] of this.#counts.entries()) {
      const more = count - (before[bucket] ?? 0);
      if (more > 0) news.push(bucket, more);
    }
    before.set(this.#counts);
    return news;
  }

  /** Counts without any, for `since`. */
  static none(): Float64Array {
    return new Float64Array(BUCKETS);
  }

  /** The bounds in milliseconds of which `within` knows the count, one for each doubling. */
  static get doublings(): readonly number[] {
    return Array.from({ length: DOUBLINGS }, (_, at) => SHORTEST * 2 ** at);
  }
}

/** The sum of such counts. */
export function addedCounts(all: readonly SparseCounts[]): SparseCounts {
  if (all.length <= 1) return all[0] ?? [];
  const sum = Durations.none();
  for (const counts of all) for (const [bucket, count] of pairsOf(counts)) sum[bucket] = (sum[bucket] ?? 0) + count;
  return [...sum].flatMap((count, bucket) => (count > 0 ? [bucket, count] : []));
}

/**
 * The duration that this part of them did not exceed, in milliseconds: the bound of its bucket.
 * @param part such as 0.99
 * @returns null if there were none
 */
export function quantileOf(counts: SparseCounts, part: number): number | null {
  const pairs = pairsOf(counts);
  const all = pairs.reduce((sum, [, count]) => sum + count, 0);
  let left = Math.max(1, Math.ceil(all * part));
  for (const [bucket, count] of pairs) {
    left -= count;
    if (left <= 0) return rounded(SHORTEST * 2 ** (bucket / IN_A_DOUBLING));
  }
  return null;
}

function pairsOf(counts: SparseCounts): readonly (readonly [bucket: number, count: number])[] {
  const pairs: [number, number][] = [];
  for (let at = 0; at + 1 < counts.length; at += 2) pairs.push([counts[at] ?? 0, counts[at + 1] ?? 0]);
  return pairs;
}

/** Three digits are more than is known. */
const rounded = (milliseconds: number): number => Number(milliseconds.toPrecision(3));
