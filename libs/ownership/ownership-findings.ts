import { findingOf, type Finding } from '#eventsourcing';
import type { Mark } from './log-mark.js';

/** The finding that a server has no log where there was one. */
export function emptyFinding(mark: Mark): Finding {
  return findingOf(
    'empty',
    `The event log is empty or missing, where there was one (${mark.identity}) with ${lastOf(mark)}: restore that one, or ` +
      'correct the setting that names it.',
    [mark.identity, mark.position, mark.id],
  );
}

/** The finding that a key store knows less of the log than before. @param known what it knows */
export function keyStoreFinding(known: Mark): Finding {
  return findingOf(
    'keys behind',
    `The key store is older than the event log: it knows ${lastOf(known)}, but the log says that it has known a later one. ` +
      'Put the one back that belongs to the log and start again.',
    [known.identity, known.position, known.id],
  );
}

/** The finding that a key store has failed until a restart: what is written to the log cannot be noted in it. */
export function keyStoreFailed({ message }: Error): Finding {
  return findingOf(
    'key store',
    `The key store has failed (${message}): this process decides nothing more, because it could not note there what it ` +
      'writes to the event log. Check the disk, then restart the service.',
    ['failed', message],
  );
}

/** The last event, in words for operators. */
export function lastOf({ stream, revision, position }: Mark): string {
  return position === 0n ? 'no event yet' : `the last event that this installation knows, ${stream}@${revision}`;
}
