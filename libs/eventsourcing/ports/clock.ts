import type { Instant } from '#kernel';

/** The service's time. A fold never reads it. */
export interface Clock {
  now(): Instant;
}

/** Injects it: an interface is gone when the program runs. */
export const Clock = Symbol('Clock');

/** A clock that can be moved forward and continues from there (ruling G10). */
export interface MovableClock extends Clock {
  /** The distance to the machine's clock, in milliseconds. */
  readonly ahead: number;
  /** Sets the distance; a smaller value than the present one is ignored. */
  follow(ahead: number): void;
}

/** Injects it: an interface is gone when the program runs. */
export const MovableClock = Symbol('MovableClock');
