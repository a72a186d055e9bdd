import type { Randomness } from './randomness.js';
import type { Time } from './time.js';

/** What a process takes from its machine. */
export interface Machine {
  readonly time: Time;
  readonly randomness: Randomness;
  /** Bytes that the process may use for JavaScript’s values. */
  readonly memory: number;
}
