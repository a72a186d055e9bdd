import type { Instant } from '#kernel';
import type { DueRow } from '../projections/report.js';

/** What became of one row when its time had come. */
export type RowRun =
  /** Its command went well; the row goes once its view has seen the events. */
  | { readonly state: 'done' }
  /** There is no such row, or no more. */
  | { readonly state: 'gone' }
  /** The log or a view could not be had: that counts as no try, and its pauses begin anew. */
  | { readonly state: 'postponed'; readonly until: Instant }
  /** It is not due yet: it was moved. */
  | { readonly state: 'later'; readonly dueAt: Instant };

/** What timers ask of the runner of work lists. */
export interface DueWork {
  readonly lists: readonly string[];
  /** The rows of a list that are due, the oldest first, and when the next one will be; Infinity: none is known. */
  due(list: string): Promise<{ readonly rows: readonly DueRow[]; readonly next: Instant }>;
  /** Reads a row, and does its work if it is due. Rejects when that could not be done now. */
  run(list: string, key: string): Promise<RowRun>;
}

/** A row that keeps failing, or stays open whatever is done, for operators to see. */
export interface StuckWork {
  readonly list: string;
  readonly key: string;
  readonly tries: number;
  readonly error: string;
}

/**
 * Runs each row of the work lists when it is due, and again until it is gone, with the pauses of `pauseAfter`. A timer is a
 * hint, never the truth: it may be lost, come late or come twice; what is due is found again in the views, and the deciders
 * make a command that comes twice harmless.
 */
export interface WorkTimers {
  /** Whether it has to be told of each row that was written, or of the earliest of a list alone. */
  readonly wants: 'earliest' | 'all';
  /** Rows of a list were written. Neither waits nor throws; what cannot be noted now is found when it is due. */
  noticed(list: string, rows: readonly DueRow[]): void;
  /** Begins to run what is due. No row is run twice at a time, and no list waits for another. */
  start(work: DueWork): void;
  /** The clock was moved: look again at what is due. */
  clockMoved(): void;
  /** Which of these open rows were tried ten times or more; none while that cannot be told. */
  stuck(list: string, keys: readonly string[]): Promise<readonly StuckWork[]>;
  /** Begins nothing more, and waits for what is under way. */
  close(): Promise<void>;
}
