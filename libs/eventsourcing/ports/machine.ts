import type { Randomness } from './randomness.js';
import type { Time } from './time.js';

/** What a process takes from its machine. */
export interface Machine {
  readonly time: Time;
  readonly randomness: Randomness;
}
