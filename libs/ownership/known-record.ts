import { changeEntry, type KeyValueStore, type RecordPlace, type SearchedLog } from '#eventsourcing';
import type { Mark } from './log-mark.js';

/** The entries' names on disk. */
const [RECORD, BEFORE, SEARCHED] = ['log record', 'marks before', 'log searched'];
/** The most earlier marks to keep. */
const MOST = 20;

/** Where the installation knows the record of its log. */
export interface KnownPlace {
  readonly identity: string;
  readonly place: RecordPlace;
}

/** What the installation keeps beside its mark; undefined if its log needs no such note. */
export async function readKnownRecord(keyValues: KeyValueStore): Promise<KnownPlace | undefined> {
  const text = await keyValues.get(RECORD);
  if (text === undefined) return undefined;
  const { identity, number, last, began } = JSON.parse(text) as Record<'identity' | 'last' | 'began', string> & {
    readonly number: number;
  };
  return { identity, place: { number, last: BigInt(last), began: BigInt(began) } };
}

/** Keeps where the record is. */
export async function keepRecord(keyValues: KeyValueStore, { identity, place }: KnownPlace): Promise<void> {
  const { number, last, began } = place;
  const next = JSON.stringify({ identity, number, last: last.toString(), began: began.toString() });
  await changeEntry(keyValues, RECORD, () => next);
}

/** How far the log with this identity was searched; undefined if that is not known. */
export async function readSearched(keyValues: KeyValueStore, identity: string): Promise<SearchedLog | undefined> {
  const text = await keyValues.get(SEARCHED);
  if (text === undefined) return undefined;
  const { head, end, ...rest } = JSON.parse(text) as Record<'identity' | 'head' | 'id' | 'end' | 'endId', string>;
  return rest.identity === identity
    ? { head: BigInt(head), id: rest.id, end: BigInt(end), endId: rest.endId }
    : undefined;
}

/** Keeps how far the log was searched: the next start goes on from there. */
export async function keepSearched(keyValues: KeyValueStore, identity: string, searched: SearchedLog): Promise<void> {
  const { head, id, end, endId } = searched;
  const next = JSON.stringify({ identity, head: head.toString(), id, end: end.toString(), endId });
  await changeEntry(keyValues, SEARCHED, () => next);
}

/** Keeps a mark that an operator gives up, beside the present one. */
export async function keepMark(keyValues: KeyValueStore, mark: Mark): Promise<void> {
  const kept = JSON.stringify({ ...mark, position: mark.position.toString() });
  await changeEntry(keyValues, BEFORE, (text) => {
    const all = text === undefined ? [] : (JSON.parse(text) as string[]);
    return JSON.stringify(all.at(-1) === kept ? all : [...all, kept].slice(-MOST));
  });
}
