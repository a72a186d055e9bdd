import type { Position } from '#kernel';

/** A process that has the right to decide on a log. */
export interface LeaseHolder {
  /** `alone`: one process does all. `shared`: any number of APIs and workers. */
  readonly mode: 'alone' | 'shared';
  /**
   * The unique place where it runs. A process that starts at the same place got its folder, so the earlier one has ended.
   */
  readonly place: string;
  /** Different for each process. */
  readonly process: string;
  /** Describes the process for operators. */
  readonly words: string;
}

/** What the log stores about who may decide on it. */
export interface LeaseNote {
  readonly holder: LeaseHolder | undefined;
  /** How far the key store of the log's owner knew the log at least, when this was written; 0n if unknown. */
  readonly marked: Position;
}

/** A stored note. */
export interface LeaseRead extends LeaseNote {
  readonly revision: number;
  /** The log does not find the note that it must have: somebody unknown may have the right. */
  readonly lost?: boolean;
}

/** Where the log itself keeps who may decide on it: one text, without a history. */
export interface LeaseRegister {
  /** @throws Unavailable */
  readLease(): Promise<LeaseRead>;
  /** Writes another note if nobody has written since. @returns whether it was written @throws Unavailable */
  writeLease(revision: number, note: LeaseNote): Promise<boolean>;
  /**
   * Names another place for the notes, in the place of one that is lost, if nobody has since. Absent if no note can get lost.
   * @returns the revision for the first write there; undefined if somebody else has
   * @throws Unavailable
   */
  moveLease?(revision: number): Promise<number | undefined>;
}
