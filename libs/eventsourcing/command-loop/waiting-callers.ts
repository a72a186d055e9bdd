import { Unavailable } from '../errors.js';
import type { Pending, StreamEntry } from './stream-entry.js';

/** Rejects the callers that have no answer yet. */
export function reject(pending: readonly Pending[], error: unknown): void {
  for (const each of pending) {
    if (each.settled) continue;
    each.settled = true;
    each.reject(error);
  }
}

/**
 * Rejects callers that have waited long enough. Commands that still wait are dropped; those already being decided or written
 * continue.
 * @param now on the monotonic clock
 */
export function rejectOverdue(
  entries: Iterable<Pick<StreamEntry, 'stream' | 'deciding' | 'waiting'>>,
  now: number,
): void {
  for (const entry of entries) {
    const late = [...entry.deciding, ...entry.waiting].filter((each) => each.deadline <= now);
    // An error for each of thousands of streams would take longer than all the rest.
    if (late.length > 0) reject(late, new Unavailable(`${entry.stream} is busy`));
    entry.waiting = entry.waiting.filter((each) => !each.settled);
  }
}
