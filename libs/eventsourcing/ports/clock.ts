import type { Instant } from '#kernel';

/** The service's time. Never read inside a fold. */
export interface Clock {
  now(): Instant;
}

/** A clock that can be moved forward (ruling G10) and runs on from there. */
export interface MovableClock extends Clock {
  /** How far it stands ahead of the machine's clock, in milliseconds. */
  readonly ahead: number;
  /** Sets how far it stands ahead; a smaller value than the present one is ignored. */
  follow(ahead: number): void;
}
