import type { Instant, Position, Recorded } from '#kernel';

/** What the projector knows of the log from reading it: its end, and the distance between events. */
export class LogExtent {
  #head: Position;
  #headTime: Instant;
  #positions = 0;
  #events = 0;

  /** @param countsBytes whether positions count bytes: then the distance of two says nothing before events were read */
  constructor(
    head: Position,
    headTime: Instant,
    private readonly countsBytes = false,
  ) {
    this.#head = head;
    this.#headTime = headTime;
  }

  /** The last known position. */
  get head(): Position {
    return this.#head;
  }

  /** Our time of the last known event. */
  get headTime(): Instant {
    return this.#headTime;
  }

  /** Takes all events after `after` up to the last one given. */
  extend(after: Position, events: readonly Recorded[]): void {
    const last = events.at(-1);
    if (last === undefined) return;
    this.#positions += Number(last.position - after);
    this.#events += events.length;
    if (last.position <= this.#head) return;
    this.#head = last.position;
    this.#headTime = last.metadata.time;
  }

  /** Notes that the log has reached this position, without reading its event. */
  reached(head: Position): void {
    if (head > this.#head) this.#head = head;
  }

  /**
   * How many events come after this position; an estimate if positions count bytes, and then null before there is anything
   * to estimate from.
   */
  eventsAfter(position: Position): number | null {
    if (position >= this.#head) return 0;
    if (this.countsBytes && this.#events === 0) return null;
    const apart = this.#events === 0 ? 1 : this.#positions / this.#events;
    return Math.max(1, Math.round(Number(this.#head - position) / apart));
  }
}
