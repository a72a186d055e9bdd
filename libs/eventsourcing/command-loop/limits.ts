import { MOST_WAITING } from '#kernel/bounds';
import { cacheBytes } from '../caches/cache-shares.js';
import { CALL_BEGUN, CALL_PATIENCE } from '../scheduling/call-deadline.js';

/** The bounds of the loop. */
export interface LoopLimits {
  /** Commands that may wait for one stream. */
  readonly waiting: number;
  /** Milliseconds that a caller waits for each command, in queues and for the log; less if the call has less left. */
  readonly patience: number;
  /** An append with more lists of events than this is long: once it begins, its callers wait for up to `begun`. */
  readonly many: number;
  /** Milliseconds that a caller waits in all for a command whose long append has begun. */
  readonly begun: number;
  /** Milliseconds before the first repeat of an append whose answer was lost. */
  readonly repeatAfter: number;
  /** Milliseconds that a log may count events without giving them. Longer is a finding. */
  readonly unread: number;
  /** The bytes of memory that the streams may need together which the loop remembers although nobody waits for them. */
  readonly cached: number;
  /** Facts of the log that followers lack, in bytes, per generation of their cache. */
  readonly facts: number;
}

/** @param memory bytes that the process may use for JavaScript’s values */
export function defaultLimits(memory: number): LoopLimits {
  return {
    waiting: MOST_WAITING,
    patience: CALL_PATIENCE,
    many: 16,
    begun: CALL_BEGUN,
    repeatAfter: 50,
    unread: 3_000,
    cached: cacheBytes('states', memory),
    facts: cacheBytes('facts', memory) / 2,
  };
}
