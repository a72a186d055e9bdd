import type { Position } from '#kernel';
import { findingOf } from '../findings/finding.js';
import type { Finding } from '../ports/finding.js';
import type { Append, AppendResult } from '../ports/event-log.js';

const MEANS = 'an older copy of the log was put back, it is another log, or somebody deleted events.';

/**
 * The finding if an answer contradicts what was known when the append was first sent. A reconnect to another log may show
 * nowhere else.
 * @param seen the furthest position known at that time
 */
export function contradictionIn(
  { stream, expected, events }: Append,
  result: AppendResult,
  seen: Position,
): Finding | undefined {
  if (result.kind === 'conflict') {
    if (result.actual >= expected) return undefined;
    return findingOf(
      'lost',
      `The event log has lost events: ${stream} ends at revision ${result.actual}, but has reached ${expected} before: ${MEANS}`,
      [stream, expected, result.actual],
    );
  }
  if (result.kind !== 'written') return undefined;
  const last = expected + events.length;
  if (result.revision !== last) {
    return findingOf(
      'moved',
      `The event log has lost events: what was written to ${stream} as revision ${last} is now at ${result.revision}: ${MEANS}`,
      [stream, last, result.revision],
    );
  }
  if (result.position > seen) return undefined;
  return findingOf(
    'back',
    `The event log goes back: ${stream}@${last} was written at position ${result.position}, but position ${seen} was seen before: ${MEANS}`,
    [stream, last, result.position, seen],
  );
}
