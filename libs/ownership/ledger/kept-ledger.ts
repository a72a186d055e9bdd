import type { KeyValueStore, Time } from '#eventsourcing';
import type { LedgerElsewhere, LedgerEntry, LedgerHere } from '#purchasing/ports';
import { LedgerInFolder } from './ledger-in-folder.js';
import { LedgerLines } from './ledger-lines.js';
import { LedgerMarks } from './ledger-marks.js';
import type { KeptLedger } from './ledger-watch.js';

/**
 * A gateway's ledger, with what is known of it beside the keys.
 * @param isKnown whether the log has the decision that a line of the ledger follows
 * @param mayWrite whether this process may write beside the keys now
 */
export function keptLedger(
  ledger: LedgerHere | LedgerElsewhere,
  {
    keyValues,
    isKnown,
    mayWrite,
    time,
  }: {
    readonly keyValues: KeyValueStore;
    readonly isKnown: (entry: LedgerEntry) => Promise<boolean>;
    readonly mayWrite: () => boolean;
    readonly time: Time;
  },
): KeptLedger {
  const marks =
    ledger.place === 'here'
      ? new LedgerInFolder(keyValues, ledger)
      : new LedgerMarks(keyValues, ledger, mayWrite, time);
  return { ledger, marks, lines: new LedgerLines(ledger, isKnown) };
}
