import { type EventLogReader, type KeyValueStore, type Finding, findingOf, type KeyStore } from '#eventsourcing';
import type { Position, Recorded } from '#kernel';
import { readMark } from './log-mark.js';

/** How many events after the mark it reads: those of the last second, or those since an older copy was made. */
const BEHIND_MARK = 1_000;

/**
 * Finds out whether the key store is older than the log. A person's key is made before their first event. So if the log knows
 * a person whose key never existed, the key store is an older copy or another one.
 */
export async function keysBehind({
  log,
  keyValues,
  keys,
}: {
  readonly log: EventLogReader;
  readonly keyValues: KeyValueStore;
  readonly keys: Pick<KeyStore, 'knows'>;
}): Promise<Finding | undefined> {
  const mark = await readMark(keyValues);
  if (mark === undefined || mark.identity !== log.identity) return undefined;
  const unknown: string[] = [];
  for (const person of await registeredAfter(log, mark.position)) {
    if (!(await keys.knows(person))) unknown.push(person);
  }
  return unknown.length === 0 ? undefined : keysBehindFinding(unknown);
}

/** The persons that were registered after a position. */
export async function registeredAfter(log: EventLogReader, position: Position): Promise<readonly string[]> {
  const stop = new AbortController();
  const batches = log.subscribe(position, BEHIND_MARK, stop.signal)[Symbol.asyncIterator]();
  const first = await batches.next();
  stop.abort();
  await batches.return?.();
  const events = first.done === true ? [] : first.value.events;
  return events.filter(({ type }) => type.startsWith('user-registered.')).map(personOf);
}

/** @param event a registration of a user */
export function personOf({ data }: Pick<Recorded, 'data'>): string {
  return (data as { readonly user_id: string }).user_id;
}

/** @param unknown the persons that the log knows and the key store does not, in log order */
export function keysBehindFinding(unknown: readonly string[]): Finding {
  return findingOf(
    'keys behind',
    `The key store is older than the event log, or another one: it has no key for users that the log knows, such as ` +
      `${unknown[0] ?? ''}. Put the one back that belongs to the log.`,
    unknown,
  );
}
