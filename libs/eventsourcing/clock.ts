import type { Instant } from '#kernel';
import type { Clock, MovableClock } from './ports/clock.js';

/**
 * The machine's time, made to never run backwards within this process: when the machine's clock is set back, this one
 * stands still until it has been caught up. So an instant that was written is never later than one read after it.
 */
export class SystemClock implements Clock {
  #latest: Instant = 0;

  /** @param machine milliseconds since 1970; `Date.now` outside tests */
  constructor(private readonly machine: () => Instant = Date.now) {}

  now(): Instant {
    const now = this.machine();
    if (now > this.#latest) this.#latest = now;
    return this.#latest;
  }
}

/** A clock that stands ahead of the machine's by a distance that only grows (ruling G10), and runs on from there. */
export class SteppableClock implements MovableClock {
  readonly #clock: SystemClock;
  #ahead = 0;

  /** @param machine milliseconds since 1970; `Date.now` outside tests */
  constructor(machine: () => Instant = Date.now) {
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
