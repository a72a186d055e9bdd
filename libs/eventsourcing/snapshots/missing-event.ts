import type { Recorded } from '#kernel';
import type { Finding } from '../ports/finding.js';
import { unreadFinding } from '../findings/stream-findings.js';
import type { EventLogReader } from '../ports/event-log.js';
import type { Snapshot } from '../ports/snapshot-store.js';
import { aheadOfLogFinding } from '../findings/view-ahead-of-log.js';

/**
 * The finding if a stream ends before the event that its snapshot has seen last. Either the log is an older copy, which concerns
 * all of it; or the event is in the log, and only its stream was cut.
 * @param first the stream’s first event, if it has any
 */
export async function missingEventFinding(
  log: Pick<EventLogReader, 'eventAt'>,
  { stream, revision, position, event, log: identity }: Snapshot,
  first: Recorded | undefined,
): Promise<Finding | undefined> {
  const there = await log.eventAt(position);
  if (there?.id === event) return unreadFinding(stream, first?.revision ?? -1, revision);
  return aheadOfLogFinding(`the snapshot of ${stream}`, { log: identity, position, event }, there?.id);
}
