import type { Instant, Position } from '#kernel';

/**
 * What the answer to one call shows of the log (ruling H6.1): up to where the views had come that it was read from, the last
 * events of the rows in it, and the time by which it was made.
 */
export class Shown {
  #reached: Position | undefined;
  #rows: Position = 0n;
  #now: Instant | undefined;

  /** The time that the answer shows; undefined if it depends on no time. */
  get now(): Instant | undefined {
    return this.#now;
  }

  /** Notes a read of views that have seen every event up to here. */
  reached(position: Position): void {
    if (this.#reached === undefined || position < this.#reached) this.#reached = position;
  }

  /** Notes a row: the position of the last event that changed it. */
  row(position: Position | undefined): void {
    if (position !== undefined && position > this.#rows) this.#rows = position;
  }

  /** Notes the time by which the answer is made. */
  at(now: Instant): void {
    this.#now = now;
  }

  /**
   * A position that has every event which the answer shows, and at which each of its rows was as the answer shows it.
   * @param wrote the last position that the call wrote
   * @returns undefined for an answer that shows nothing of the log
   */
  position(wrote: Position | undefined): Position | undefined {
    let last = wrote ?? 0n;
    if (this.#rows > last) last = this.#rows;
    if (this.#reached !== undefined && this.#reached > last) last = this.#reached;
    return last === 0n && this.#reached === undefined ? undefined : last;
  }
}
