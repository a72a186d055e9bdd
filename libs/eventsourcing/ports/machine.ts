import type { Randomness } from './randomness.js';
import type { Time } from './time.js';

/** What a process has from the machine that it runs on. */
export interface Machine {
  readonly time: Time;
  readonly randomness: Randomness;
}
