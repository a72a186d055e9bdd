import { findingOf } from './finding.js';
import type { Finding } from '../ports/finding.js';
import type { Mark } from './log-mark.js';

/** What accepting another or older log loses, for operators. */
export const LOSES_LATER =
  'Accepting it loses what this log does not have: units and redemption codes of later sales are sold again, and nobody ' +
  'refunds charges that the log does not know.';

/** The finding that a server has no log where there was one. */
export function emptyFinding(mark: Mark): Finding {
  return findingOf(
    `The event log is empty or missing, where there was one (${mark.identity}) with ${lastOf(mark)}: restore that one, or ` +
      `correct the setting that names it. ${LOSES_LATER}`,
    ['empty', mark.identity, mark.position, mark.id],
  );
}

/** The finding that a key store knows less of the log than before. @param known what it knows */
export function keyStoreFinding(known: Mark): Finding {
  return findingOf(
    `The key store is older than the event log: it knows ${lastOf(known)}, but the log says that it has known a later one. ` +
      'Put the one back that belongs to the log and start again. Accepting it loses what only the later one had: nobody can ' +
      'read the names, addresses and cards of users who came since, repeats of calls are carried out again, and the names ' +
      'of users who were erased since can be read again.',
    ['keys behind', known.identity, known.position, known.id],
  );
}

/** The finding that a key store has failed until a restart: what is written to the log cannot be noted in it. */
export function keyStoreFailed({ message }: Error): Finding {
  return findingOf(
    `The key store has failed (${message}): this process decides nothing more, because it could not note there what it ` +
      'writes to the event log. Check the disk, then restart the service.',
    ['key store', 'failed', message],
  );
}

/** The last event, in words for operators. */
export function lastOf({ stream, revision, position }: Mark): string {
  return position === 0n ? 'no event yet' : `the last event that this installation knows, ${stream}@${revision}`;
}
