import type { KeyValueStore, RecordPlace, SearchedLog } from '#eventsourcing';
import { emptyFinding } from './ownership-findings.js';
import { keepMark, readKnownRecord, readSearched } from './known-record.js';
import { readMark } from './log-mark.js';

/** What an installation knows of its log before it opens it. */
export interface KnownLog {
  /** A log that is known is not made again if its server lacks it, so that an operator hears of the loss. */
  readonly identity?: string;
  readonly place?: RecordPlace | undefined;
  /** How far it was searched. */
  readonly searched?: SearchedLog | undefined;
  /** An operator has accepted that it is gone: a new one is made if the server has no event of it. */
  readonly renews?: boolean;
}

/** Reads it. A mark that an operator gives up is kept beside the present one. */
export async function knownLog(
  keyValues: KeyValueStore,
  { accept }: { readonly accept: ReadonlySet<string> },
): Promise<KnownLog> {
  const mark = await readMark(keyValues);
  if (mark === undefined) return {};
  const record = await readKnownRecord(keyValues);
  const renews = accept.has(emptyFinding(mark).code);
  if (renews) await keepMark(keyValues, mark);
  const { identity, position, id } = mark;
  const before = await readSearched(keyValues, identity);
  const isNewer = before === undefined || before.head < position;
  const atMark = position === 0n ? undefined : { head: position, id, end: position, endId: id };
  const place = record?.identity === identity ? record.place : undefined;
  return { identity, place, searched: isNewer ? atMark : before, renews };
}
