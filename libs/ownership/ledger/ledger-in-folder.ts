import { changeEntry, type KeyValueStore, type LedgerMark } from '#eventsourcing';
import type { LedgerHere } from '#purchasing/ports';
import type { KnownEnd, KnownLedger } from './ledger-marks.js';
import { LEDGER_ENTRY, parseLedgerMark } from './ledger-entry.js';

/**
 * The known end of the ledger in the data folder. The survey of the folder has compared the two already: a shorter ledger is
 * accepted. `recordFolder` moves the known end on while the service runs.
 */
export class LedgerInFolder implements KnownEnd {
  constructor(
    private readonly keyValues: KeyValueStore,
    private readonly ledger: Pick<LedgerHere, 'mark' | 'reaches'>,
  ) {}

  async look(): Promise<KnownLedger> {
    const known = parseLedgerMark(await this.keyValues.get(LEDGER_ENTRY));
    const { mark: there } = this.ledger;
    const reached = known !== undefined && (await this.ledger.reaches(known));
    return { known: reached ? known : undefined, there, reached: true };
  }

  async reach(there: LedgerMark): Promise<void> {
    await changeEntry(this.keyValues, LEDGER_ENTRY, (text) => {
      const known = parseLedgerMark(text);
      return known?.identity === there.identity && known.size >= there.size ? undefined : JSON.stringify(there);
    });
  }

  /** `recordFolder` saves the rest. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  async begin(there: LedgerMark): Promise<void> {
    await changeEntry(this.keyValues, LEDGER_ENTRY, () => JSON.stringify(there));
  }
}
