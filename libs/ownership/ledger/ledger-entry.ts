import type { LedgerMark } from '#eventsourcing';

/** The name on disk of the entry with the known end of the gateway's ledger. */
export const LEDGER_ENTRY = 'ledger';

/** The known end of the ledger; undefined if none is known. @param text of the entry */
export function parseLedgerMark(text: string | undefined): LedgerMark | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as LedgerMark);
}
