import type { Instant, Position, Recorded } from '#kernel';

/** What the projector knows of the log by what it has read: its end, and how far apart events lie. */
export class LogExtent {
  #head: Position;
  #headTime: Instant;
  #positions = 0;
  #events = 0;

  constructor(head: Position, headTime: Instant) {
    this.#head = head;
    this.#headTime = headTime;
  }

  /** The last position that is known of. */
  get head(): Position {
    return this.#head;
  }

  /** Our time of the last event that is known of. */
  get headTime(): Instant {
    return this.#headTime;
  }

  /** These are all events between `after` and the last of them. */
  extend(after: Position, events: readonly Recorded[]): void {
    const last = events.at(-1);
    if (last === undefined) return;
    this.#positions += Number(last.position - after);
    this.#events += events.length;
    if (last.position <= this.#head) return;
    this.#head = last.position;
    this.#headTime = last.metadata.time;
  }

  /** The log has come to this position; its event was not read. */
  reached(head: Position): void {
    if (head > this.#head) this.#head = head;
  }

  /** How many events lie behind this position; about, where positions do not count events. */
  eventsAfter(position: Position): number {
    if (position >= this.#head) return 0;
    const apart = this.#events === 0 ? 1 : this.#positions / this.#events;
    return Math.max(1, Math.round(Number(this.#head - position) / apart));
  }
}
