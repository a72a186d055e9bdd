import { emptyFinding, type KeyValueStore, readMark } from '#eventsourcing';
import type { Config } from '../config.js';

/**
 * The identity of a log that was known here and that its server lacks now: it is not made again, so that an operator hears of
 * the loss. Undefined if the server has a log, if none was known, or if an operator has accepted the loss.
 * @param exists whether the server has a log
 */
export async function missingLog(
  keyValues: KeyValueStore,
  { accept }: Pick<Config, 'accept'>,
  exists: () => Promise<boolean>,
): Promise<string | undefined> {
  const mark = await readMark(keyValues);
  if (mark === undefined || accept.has(emptyFinding(mark).code)) return undefined;
  return (await exists()) ? undefined : mark.identity;
}
