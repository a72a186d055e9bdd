import { MOST_WAITING } from '#kernel/bounds';
import { CALL_PATIENCE } from '../call-deadline.js';
import { LEAST_WEIGHT } from './stream-entry.js';

/** The bounds of the loop. */
export interface LoopLimits {
  /** Commands that may wait for one stream. */
  readonly waiting: number;
  /** Milliseconds that a caller waits for each command, in queues and for the log; less if the call has less left. */
  readonly patience: number;
  /** Milliseconds before the first repeat of an append whose answer was lost. */
  readonly repeatAfter: number;
  /** Milliseconds that a log may count events without giving them. Longer is a finding. */
  readonly unread: number;
  /** Idle streams whose state the loop keeps, in characters of their events, per generation of the cache. */
  readonly cached: number;
}

export const DEFAULT_LIMITS: LoopLimits = {
  waiting: MOST_WAITING,
  patience: CALL_PATIENCE,
  repeatAfter: 50,
  unread: 3_000,
  // At most 20480 streams, and fewer large ones.
  cached: 20_480 * LEAST_WEIGHT,
};
