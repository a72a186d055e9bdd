import type { Position } from '#kernel';
import type { EventLine } from './event-line.js';
import type { StateLine } from './state-line.js';

/** A log that is copied. */
export interface CopiedLog {
  /** The engine's name, and the log's identity there. */
  readonly engine: string;
  readonly identity: string;
  /** Whose log it is; undefined if it is nobody's. */
  owner(): Promise<{ readonly installation: string; readonly ledger?: string | undefined } | undefined>;
  /** The id of the event at a position; undefined if there is none. */
  /** The position of the last event; 0n for none. */
  head(): Promise<Position>;
  idAt(position: Position): Promise<string | undefined>;
  /** How many events follow a position, about; undefined if that is not known without reading them. */
  countAfter(position: Position, upTo: Position): Promise<number | undefined>;
  /** The events after a position up to another one, in the order of the log, in parts. */
  events(after: Position, upTo: Position): AsyncIterable<readonly EventLine[]>;
  close(): Promise<void>;
}

/** Which rows are read part by part. */
export const ROW_KINDS = ['key', 'secret', 'answer'] as const;
export type RowKind = (typeof ROW_KINDS)[number];

/** A part of the rows of a kind. */
export interface RowPart {
  readonly lines: readonly StateLine[];
  /** Where the next part begins; undefined: there is none. */
  readonly next: string | undefined;
}

/** A part of the rows that have changed. */
export interface ChangedRows {
  /** undefined: not all of them are known (any more), so every row must be read again. */
  readonly lines: readonly StateLine[] | undefined;
  /** Where the next part begins. */
  readonly mark: string;
  /** Whether there is one already. */
  readonly more: boolean;
}

/** The rows beside a log, read in parts while others change them. */
export interface StateRows {
  entries(): Promise<readonly StateLine[]>;
  /** @param after where a part ended; undefined: from the beginning */
  rows(kind: RowKind, after: string | undefined): Promise<RowPart>;
  /**
   * A part of the rows that changed since a mark, in their present form. Without a mark it only begins to watch.
   */
  changes(since: string | undefined): Promise<ChangedRows>;
}
