import type { CopiedLog } from './engine-copies.js';
import type { StateNews } from './state-copy.js';

/** What a backup is taken of. */
export interface BackupSource {
  readonly log: CopiedLog;
  /** What is kept beside the log; see `copyState`. @throws Error for people to read if it breaks off */
  state(follow: boolean, signal: AbortSignal): AsyncIterable<StateNews>;
  /** Whole lines of a sandbox gateway's ledger in the data folder, after a byte of it, and where they end. */
  ledger(after: number): { readonly lines: readonly string[]; readonly end: number };
  /** Where the file of erasures is. */
  readonly erasuresFile: string;
}
