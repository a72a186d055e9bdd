import type { Instant, Position } from '#kernel';

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

/** What the log keeps of who may decide on it. */
export interface LeaseNote {
  readonly holder: LeaseHolder | undefined;
  /** So far the key store of the log's owner knew the log at least, when this was written; 0n where nothing tells. */
  readonly marked: Position;
}

/** A note as it stands there. */
export interface LeaseRead extends LeaseNote {
  readonly revision: number;
  /** When it was written, by the clock of the log's server. */
  readonly written: Instant | undefined;
}

/** Where the log itself keeps who may decide on it: one text, which piles up nowhere. */
export interface LeaseRegister {
  /** @throws Unavailable */
  readLease(): Promise<LeaseRead>;
  /** Writes another note if nobody has since. @returns whether it was written @throws Unavailable */
  writeLease(revision: number, note: LeaseNote): Promise<boolean>;
}
