/** How far a ledger is known: what comes after its place may be more, and never less. */
export interface LedgerMark {
  readonly identity: string;
  /** Bytes up to the end of a line. */
  readonly size: number;
  /** Of that line. */
  readonly digest: string;
}
