import type { Position, Recorded } from '#kernel';
import { type EventLogReader, type Facts, type Finding, findingOf, type KeyStore, readMark } from '#eventsourcing';

/** So many events behind the mark are looked at: there is what was written within a second, or since an older copy was made. */
const BEHIND_MARK = 1_000;

/**
 * Whether the key store is older than the log. A person's key is made before the log knows the person, so a log that knows
 * persons whose keys never were has a key store that is an older copy, or another one.
 */
export async function keysBehind({
  log,
  facts,
  keys,
}: {
  readonly log: EventLogReader;
  readonly facts: Facts;
  readonly keys: KeyStore;
}): Promise<Finding | undefined> {
  const mark = await readMark(facts);
  if (mark === undefined || mark.identity !== log.identity) return undefined;
  const unknown: string[] = [];
  for (const person of await registeredAfter(log, mark.position)) {
    if (!(await keys.knows(person))) unknown.push(person);
  }
  return unknown.length === 0 ? undefined : keysBehindFinding(unknown);
}

/** The persons that the log came to know first behind a position. */
export async function registeredAfter(log: EventLogReader, position: Position): Promise<readonly string[]> {
  const stop = new AbortController();
  const batches = log.subscribe(position, BEHIND_MARK, stop.signal)[Symbol.asyncIterator]();
  const first = await batches.next();
  stop.abort();
  await batches.return?.();
  const events = first.done === true ? [] : first.value.events;
  return events.filter(({ type }) => type.startsWith('user-registered.')).map(personOf);
}

/** @param event a registration */
export function personOf({ data }: Pick<Recorded, 'data'>): string {
  return (data as { readonly user_id: string }).user_id;
}

/** @param unknown the persons that the log knows and the key store does not, in the log's order */
export function keysBehindFinding(unknown: readonly string[]): Finding {
  return findingOf(
    `The key store is older than the event log, or another one: it has no key for users that the log knows, such as ` +
      `${unknown[0] ?? ''}. Put the one back that belongs to the log. Accepting it loses the names, addresses and cards ` +
      'of those users, which can be read no more.',
    ['keys behind', ...unknown],
  );
}
