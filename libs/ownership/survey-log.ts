import type { Finding, Keyring, KeyValueStore, Machine, OwnedLog } from '#eventsourcing';
import { LogMark } from './log-mark.js';
import { Ownership } from './ownership.js';

/**
 * What a start would find about a log, before it is opened: the running service finds the same, under the same codes.
 * @param parts.keyValues a copy, which this may change
 */
export function surveyLog({
  log,
  keyValues,
  keyring,
  machine,
}: {
  readonly log: OwnedLog;
  readonly keyValues: KeyValueStore;
  readonly keyring: Keyring;
  readonly machine: Machine;
}): Promise<readonly Finding[]> {
  const mark = new LogMark(keyValues, machine.time);
  const ownership = new Ownership({ log, keyValues, mark, keyring, machine, behindFor: 0, waits: () => undefined });
  return ownership.begin(new Set());
}
