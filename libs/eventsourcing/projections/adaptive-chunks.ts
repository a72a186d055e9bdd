import type { Recorded } from '#kernel';
import type { Time } from '../ports/time.js';

/** A batch begins to be taken in chunks of this size; stores differ by a hundred times in what they write per second. */
const FIRST = 500;
const LEAST = 50;
/** A chunk is at most so many times as large as the one before. */
const GROWTH = 4;

/**
 * Cuts batches into chunks that take a store about as long as wished, whatever store it is: between two chunks orders are
 * carried out, and the projector can be closed.
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

  /** The chunks of a batch, each cut when it is asked for; one empty chunk of an empty batch. */
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
    // What was cut short by the batch's end tells nothing of larger ones.
    if (events < this.#size && milliseconds < this.target) return;
    const wished = Math.floor((events * this.target) / Math.max(1, milliseconds));
    this.#size = Math.max(LEAST, Math.min(wished, this.#size * GROWTH, this.most));
  }
}
