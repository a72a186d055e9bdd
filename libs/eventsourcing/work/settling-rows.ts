import type { Instant } from '#kernel';
import type { Clock } from '../ports/clock.js';
import type { Time, Timer } from '../ports/time.js';
import type { DueRow } from '../ports/report.js';

/** How long a row is held back, in milliseconds. */
const HELD_FOR = 500;
/** The most rows that are held back. A sweep finds the others when they are due. */
const MOST = 10_000;

/**
 * Holds noticed rows back for a moment, before a timer is made for each: the event that removes a row often follows soon after the
 * one that made it, as a follower's does after its decision's. A row that is due about now is passed on at once. One that has been
 * due for longer was noticed late, by a projector that is behind, so its end may already be in the log.
 */
export class SettlingRows {
  readonly #rows = new Map<string, Instant>();
  #timer: Timer | undefined;

  /** @param settled called with rows that need a timer */
  constructor(
    private readonly clock: Clock,
    private readonly time: Time,
    private readonly settled: (rows: readonly DueRow[]) => void,
  ) {}

  /** Takes note of written and removed rows. */
  notice(rows: readonly DueRow[]): void {
    const now = this.clock.now();
    const pressing: DueRow[] = [];
    for (const { key, dueAt } of rows) {
      this.#rows.delete(key);
      if (dueAt === Infinity) continue;
      if (Math.abs(dueAt - now) <= HELD_FOR) pressing.push({ key, dueAt });
      else if (this.#rows.size < MOST) this.#rows.set(key, dueAt);
    }
    if (pressing.length > 0) this.settled(pressing);
    if (this.#rows.size > 0) this.#timer ??= this.time.after(HELD_FOR, () => this.#release());
  }

  /** Forgets the rows that are held back. */
  close(): void {
    this.time.cancel(this.#timer);
    this.#rows.clear();
  }

  #release(): void {
    this.#timer = undefined;
    const rows = [...this.#rows].map(([key, dueAt]) => ({ key, dueAt }));
    this.#rows.clear();
    if (rows.length > 0) this.settled(rows);
  }
}
