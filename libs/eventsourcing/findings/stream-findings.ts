import type { Recorded } from '#kernel';
import { findingOf } from './finding.js';
import type { Finding } from '../ports/finding.js';

/**
 * The finding if the events of a stream, read from a revision on, have a gap: the first must have that revision, and each
 * the next one. Retention and deletion leave gaps without an error.
 */
export function gapFinding(
  stream: string,
  from: number,
  events: readonly Pick<Recorded, 'revision'>[],
): Finding | undefined {
  const at = events.findIndex(({ revision }, index) => revision !== from + index);
  if (at === -1) return undefined;
  const [expected, found] = [from + at, events[at]?.revision ?? from];
  const finding = findingOf(
    'gap',
    `${stream} has lost events: revision ${expected} was expected, but ${found} comes. Somebody deleted or ` +
      'truncated the stream, or set $maxCount, $maxAge or $tb on it.',
    [expected, found],
    stream,
  );
  return { ...finding, from: expected, below: found };
}

/**
 * The finding that the log now has nothing of a stream that was found, or accepted, as cut: a node does not know a stream whose
 * event 0 is gone. It cannot be accepted, because an append that begins such a stream anew makes it unreadable.
 */
export function unknownFinding(stream: string): Finding {
  return findingOf(
    'unknown stream',
    `The log finds nothing of ${stream}, which has lost events before: its server does not know the stream by its name any ` +
      'more. It is never begun anew, because then nobody could read it. Let another node lead, or put the right data back.',
    [],
    stream,
  );
}

/** The finding that a stream's events cannot be read, in the log's words. It stays until the log is restored. */
export function unreadableFinding(stream: string, reason: string): Finding {
  return findingOf('unreadable', `The events of ${stream} cannot be read: ${reason}.`, [reason], stream);
}

/**
 * The finding that the log counts events up to a revision but gives none after the last known one. Its code is that of the
 * gap that the next event will leave.
 */
export function unreadFinding(stream: string, last: number, actual: number): Finding | undefined {
  if (actual <= last) return undefined;
  const [from, below] = [last + 1, actual + 1];
  const finding = findingOf(
    'gap',
    `${stream} has lost events: it ends at revision ${actual}, and ${from} cannot be read. Somebody truncated the ` +
      'stream, or set $maxCount, $maxAge or $tb on it.',
    [from, below],
    stream,
  );
  return { ...finding, from, below };
}
