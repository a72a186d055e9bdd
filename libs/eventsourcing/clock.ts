import type { Instant } from '#kernel';
import type { Clock, MovableClock } from './ports/clock.js';

/** A machine's clock that is set back by no more than this, in milliseconds, is waited for. */
const WAITED_FOR = 1_000;

/**
 * The machine's time. When the machine's clock is set back a little, this one stands still until it has been caught up.
 * When it was wrong by more, it is followed at once: to wait would make everything last longer that is timed by it.
 */
export class SystemClock implements Clock {
  #latest: Instant = 0;

  /** @param machine milliseconds since 1970, by the machine's clock */
  constructor(private readonly machine: () => Instant) {}

  now(): Instant {
    const now = this.machine();
    if (now > this.#latest || now < this.#latest - WAITED_FOR) this.#latest = now;
    return this.#latest;
  }
}

/** A clock that stands ahead of the machine's by a distance that only grows (ruling G10), and runs on from there. */
export class SteppableClock implements MovableClock {
  readonly #clock: SystemClock;
  #ahead = 0;

  /** @param machine milliseconds since 1970, by the machine's clock */
  constructor(machine: () => Instant) {
    this.#clock = new SystemClock(machine);
  }

  get ahead(): number {
    return this.#ahead;
  }

  follow(ahead: number): void {
    if (ahead > this.#ahead) this.#ahead = ahead;
  }

  now(): Instant {
    return this.#clock.now() + this.#ahead;
  }
}
