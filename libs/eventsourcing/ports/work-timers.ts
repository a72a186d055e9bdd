import type { Instant } from '#kernel';
import type { DueRow } from './report.js';

/** The outcome of one row's run. */
export type RowRun =
  /** The command succeeded. The row goes when its view has seen the events. */
  | { readonly state: 'done' }
  /** The row does not exist (any more). */
  | { readonly state: 'gone' }
  /** The log or a view was unavailable. That does not count as a try, and the pauses start again. */
  | { readonly state: 'postponed'; readonly until: Instant }
  /** The row is not due yet: its time was moved. */
  | { readonly state: 'later'; readonly dueAt: Instant };

/** What timers ask of the runner of work lists. */
export interface DueWork {
  readonly lists: readonly string[];
  /** The due rows of a list, the oldest first, and when the next one is due; Infinity if none is known. */
  due(list: string): Promise<{ readonly rows: readonly DueRow[]; readonly next: Instant }>;
  /** Reads a row and does its work if it is due. Rejects if the work could not be done now. */
  run(list: string, key: string): Promise<RowRun>;
}

/** A row that was tried and is still open. */
export interface TriedWork {
  readonly list: string;
  readonly key: string;
  readonly tries: number;
  readonly error: string;
  readonly nextTryAt: Instant;
}

/**
 * Runs each row of the work lists when it is due, again and again until it is gone, with the pauses of `pauseAfter`. A timer
 * is only a hint: it may be lost, late or doubled. The views show again what is due, and the deciders make a repeated
 * command harmless.
 */
export interface WorkTimers {
  /** Whether it needs every written and every removed row, or only the earliest of each list. */
  readonly wants: 'earliest' | 'all';
  /** Takes note of written and removed rows. Neither waits nor throws; a row that cannot be noted now is found when it is due. */
  noticed(list: string, rows: readonly DueRow[]): void;
  /** Begins to run what is due. A row never runs twice at a time, and no list waits for another. */
  start(work: DueWork): void;
  /** Looks again at what is due, because the clock was moved. */
  clockMoved(): void;
  /** How often these open rows were tried, without those that were not; undefined if this process does not know that. */
  tried(list: string, keys: readonly string[]): Promise<readonly TriedWork[] | undefined>;
  /** Tries a row at once if it is due, whatever pause it has. Its tries go on counting. */
  retry(list: string, key: string): void;
  /** Begins nothing more and waits for the work under way. */
  close(): Promise<void>;
}
