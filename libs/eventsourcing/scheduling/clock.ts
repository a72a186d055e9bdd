import type { Instant } from '#kernel';
import type { Clock, MovableClock } from '../ports/clock.js';

/** A clock that is set back by at most this many milliseconds is waited for. */
const WAITED_FOR = 1_000;

/**
 * The machine's time. If the machine's clock is set back a little, this clock stands still until the machine has caught up.
 * If the machine's clock was wrong by more, this clock follows it immediately: waiting would make every deadline later.
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

/** A clock ahead of the machine's clock. The distance can only grow (ruling G10). */
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
