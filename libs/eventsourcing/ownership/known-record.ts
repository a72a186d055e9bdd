import type { KeyValueStore } from '../ports/key-value-store.js';
import type { RecordPlace } from '../ports/owned-log.js';
import type { Mark } from './log-mark.js';

/** The entries' names on disk. */
const [RECORD, BEFORE] = ['log record', 'marks before'];
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
  await change(keyValues, RECORD, () => next);
}

/** Keeps a mark that an operator gives up, beside the present one. */
export async function keepMark(keyValues: KeyValueStore, mark: Mark): Promise<void> {
  const kept = JSON.stringify({ ...mark, position: mark.position.toString() });
  await change(keyValues, BEFORE, (text) => {
    const all = text === undefined ? [] : (JSON.parse(text) as string[]);
    return JSON.stringify(all.at(-1) === kept ? all : [...all, kept].slice(-MOST));
  });
}

async function change(
  keyValues: KeyValueStore,
  entry: string,
  next: (text: string | undefined) => string,
): Promise<void> {
  for (;;) {
    const text = await keyValues.get(entry);
    const wanted = next(text);
    if (wanted === text) return;
    const done =
      text === undefined
        ? (await keyValues.insert(entry, wanted)) === wanted
        : await keyValues.replace(entry, text, wanted);
    if (done) return;
  }
}
