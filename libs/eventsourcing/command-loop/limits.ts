import { MOST_WAITING } from '#kernel/bounds';
import { CALL_BEGUN, CALL_PATIENCE } from '../call-deadline.js';

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
  /** Idle streams whose state the loop keeps, in characters of their events, per generation of the cache. */
  readonly cached: number;
  /** Facts of the log that followers lack, in bytes, per generation of their cache. */
  readonly facts: number;
}

/**
 * A generation of the cache has as many characters as a sixth of the memory has bytes. A state needs about two thirds of a byte for
 * each, so the two generations take at most a quarter of the memory. A stream that the cache drops is read as a whole for its next
 * command: with too small a cache, each sale of one of many popular deals would read all of its earlier ones.
 */
const CACHED_PART = 6;
/** A generation of facts has this part of the memory. One fact, a thousand codes, has about 50 kB. */
const FACTS_PART = 64;

/** @param memory bytes that the process may use for JavaScript’s values */
export function defaultLimits(memory: number): LoopLimits {
  return {
    waiting: MOST_WAITING,
    patience: CALL_PATIENCE,
    many: 16,
    begun: CALL_BEGUN,
    repeatAfter: 50,
    unread: 3_000,
    cached: Math.floor(memory / CACHED_PART),
    facts: Math.floor(memory / FACTS_PART),
  };
}
