import type { Randomness } from './randomness.js';
import type { Time } from './time.js';

/** How much later than asked for the event loop of a process runs its timers. */
export interface EventLoopDelay {
  /** The longest delay since the last call, in milliseconds. */
  longest(): number;
  close(): void;
}

/** What a process takes from its machine. */
export interface Machine {
  readonly time: Time;
  readonly randomness: Randomness;
  /** Bytes that the process may use for JavaScript’s values. */
  readonly memory: number;
  /** Begins to measure the delay of the event loop, in the background; absent where it would say nothing. */
  measureEventLoop?(): EventLoopDelay;
}
