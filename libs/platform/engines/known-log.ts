import {
  emptyFinding,
  keepMark,
  type KeyValueStore,
  readKnownRecord,
  readMark,
  type RecordPlace,
} from '#eventsourcing';
import type { Config } from '../config.js';

/** What an installation knows of its log before it opens it. */
export interface KnownLog {
  /** A log that is known is not made again if its server lacks it, so that an operator hears of the loss. */
  readonly identity?: string;
  readonly place?: RecordPlace | undefined;
  /** An operator has accepted that it is gone: a new one is made if the server has no event of it. */
  readonly renews?: boolean;
}

/** Reads it. A mark that an operator gives up is kept beside the present one. */
export async function knownLog(keyValues: KeyValueStore, { accept }: Pick<Config, 'accept'>): Promise<KnownLog> {
  const mark = await readMark(keyValues);
  if (mark === undefined) return {};
  const record = await readKnownRecord(keyValues);
  const renews = accept.has(emptyFinding(mark).code);
  if (renews) await keepMark(keyValues, mark);
  const { identity } = mark;
  return { identity, place: record?.identity === identity ? record.place : undefined, renews };
}
