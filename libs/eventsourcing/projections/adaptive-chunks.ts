import type { Recorded } from '#kernel';
import type { Time } from '../ports/time.js';

/**
 * Events in the first chunk. Stores differ by a factor of a hundred in what they write per second: a slow one under load takes a
 * few seconds for this many, and a fast one soon gets more.
 */
const FIRST = 100;
const LEAST = 50;
/** The most by which a chunk may grow over the one before. */
const GROWTH = 4;

/**
 * Cuts batches into chunks that take any store about the target time. Between two chunks the projector can carry out orders
 * or close.
 */
export class AdaptiveChunks {
  #size: number;

  /**
   * @param most events in a chunk
   * @param target milliseconds that a chunk should take
   */
  constructor(
    private readonly most: number,
    private readonly target: number,
    private readonly time: Pick<Time, 'monotonic'>,
  ) {
    this.#size = Math.min(FIRST, most);
  }

  /** The chunks of a batch, each cut on demand; an empty batch gives one empty chunk. */
  *of(events: readonly Recorded[]): Generator<readonly Recorded[], void, void> {
    let from = 0;
    do {
      const chunk = events.slice(from, from + this.#size);
      const began = this.time.monotonic();
      yield chunk;
      this.#took(chunk.length, this.time.monotonic() - began);
      from += chunk.length;
    } while (from < events.length);
  }

  #took(events: number, milliseconds: number): void {
    // A chunk cut short by the batch's end says nothing about larger ones.
    if (events < this.#size && milliseconds < this.target) return;
    const wished = Math.floor((events * this.target) / Math.max(1, milliseconds));
    this.#size = Math.max(LEAST, Math.min(wished, this.#size * GROWTH, this.most));
  }
}
