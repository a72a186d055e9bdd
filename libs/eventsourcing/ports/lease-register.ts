import type { Instant } from '#kernel';

/** Who has the right to decide on a log. */
export interface LeaseHolder {
  /** `alone`: one process does all. `shared`: any number of APIs and workers. */
  readonly mode: 'alone' | 'shared';
  /** Where it runs, as nobody else does: whoever starts at the same place has its folder, and so it has ended. */
  readonly place: string;
  /** Another one for each process. */
  readonly process: string;
  /** For operators: which one it is. */
  readonly words: string;
}

/** Where the log itself keeps who may decide on it: one text, which piles up nowhere. */
export interface LeaseRegister {
  /** @throws Unavailable */
  readLease(): Promise<{
    readonly revision: number;
    readonly holder: LeaseHolder | undefined;
    /** When that was written, by the clock of the log's server. */
    readonly written: Instant | undefined;
  }>;
  /** Writes another holder, or the same one anew, if nobody has since. @returns whether it was written @throws Unavailable */
  writeLease(revision: number, holder: LeaseHolder | undefined): Promise<boolean>;
}
