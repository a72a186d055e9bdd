import { findingOf } from './finding.js';
import type { Finding } from '../ports/finding.js';
import type { Checkpoint } from '../ports/view-store.js';

/** The log is not the one that a view was built from, or it has lost events that the view has seen. */
export class ViewAheadOfLog extends Error {
  override name = 'ViewAheadOfLog';
  constructor(readonly finding: Finding) {
    super(finding.words);
  }
}

/**
 * The finding that a view, or a snapshot, contradicts the log.
 * @param who has seen the event, as text
 * @param there the id of the event at the view's checkpoint; undefined if there is none
 */
export function aheadOfLogFinding(
  who: string,
  { log, position, event }: Checkpoint,
  there: string | undefined,
): Finding {
  const found = there === undefined ? 'has no event' : 'has another event';
  const finding = findingOf(
    'view',
    `The event log ${found} at position ${position}, which ${who} has seen: an older copy was put back, or ` +
      'something was deleted. Put the right log back and start again.',
    [log, position, event, there ?? ''],
  );
  return { ...finding, seen: { position: position.toString(), event } };
}
