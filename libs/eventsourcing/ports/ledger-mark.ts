/** How far a ledger is known. The ledger may have more than this, never less. */
export interface LedgerMark {
  readonly identity: string;
  /** Bytes up to the end of a line. */
  readonly size: number;
  /** The digest of that line. */
  readonly digest: string;
}
