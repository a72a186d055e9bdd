import type { LedgerMark } from '#eventsourcing';

/** Names of entries. They are on disk. */
export const FOLDER_ENTRY = 'folder';
export const LEDGER_ENTRY = 'ledger';

/** The number of starts on the folder, as the key store knows it. */
export interface Starts {
  readonly starts: number;
  /** Whether the manifest has the same number for certain. */
  readonly settled: boolean;
}

export function parseStarts(text: string | undefined): Starts {
  return text === undefined ? { starts: 0, settled: false } : (JSON.parse(text) as Starts);
}

export function parseLedgerMark(text: string | undefined): LedgerMark | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as LedgerMark);
}
