import type { Position, Scalar, View } from '#kernel';
import type { Query, Where } from '../query.js';

/** A row with the position of the last event that changed it. */
export interface StoredRow<Row extends object = object> {
  readonly key: string;
  readonly row: Row;
  readonly position: Position;
}

/** A change of one row: `row` undefined removes it. Older positions than the stored one are ignored. */
export interface RowChange {
  readonly key: string;
  readonly row: object | undefined;
  readonly position: Position;
}

/** How far a view has come: the log it was built from, and the last event that it has seen. */
export interface Checkpoint {
  readonly log: string;
  readonly position: Position;
  /** The id of the event at `position`: a restored log gives itself away. Empty at 0n. */
  readonly event: string;
}

/** The writing side: one writer per generation at a time. */
export interface ViewWriter {
  /** undefined for a generation that has seen nothing. */
  checkpoint(): Promise<Checkpoint | undefined>;
  /** The present rows of those keys; missing ones are left out. */
  load(keys: readonly string[]): Promise<ReadonlyMap<string, StoredRow>>;
  /** Writes rows and then the checkpoint, which is never ahead of them. */
  write(changes: readonly RowChange[], checkpoint: Checkpoint): Promise<void>;
  /**
   * Ends the bulk phase of a new generation: builds its indexes and makes it durable. It is read once it is promoted. Until
   * then writes may skip journal and sync, where a generation that broke off half built is dropped.
   */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** The reading side. Many readers beside one writer. */
export interface ViewReader<Row extends object = object> {
  get(key: string): Promise<StoredRow<Row> | undefined>;
  /** Throws a RangeError for a field that the view does not declare, here and below, and for a page that cannot be. */
  find(query: Query): Promise<readonly StoredRow<Row>[]>;
  count(where: Where): Promise<number>;
  /**
   * The smallest value but null of a `value` field over the rows that match, over all its values where it has many; null
   * when rows match but none has a value, undefined when no row does.
   */
  min(field: string, where: Where): Promise<Scalar | undefined>;
  /** What a read sees: every event up to here. 0n while the generation is being built. */
  position(): Promise<Position>;
}

/** One build of a view and version, made from the beginning of the log. The live one is read; the others stand beside it. */
export interface GenerationInfo {
  /** From 1, never used twice for a view and version. */
  readonly number: number;
  /** Only a finished one can be read. An unfinished one that is listed can go on from its checkpoint. */
  readonly finished: boolean;
  readonly live: boolean;
  readonly checkpoint: Checkpoint | undefined;
}

/** Where views are kept: the writing side, of which one process at a time makes use. */
export interface ViewStore {
  /**
   * The generations of this view and version, the oldest first. Those that were built from another log or with other fields
   * are dropped, and so are unfinished ones that this store cannot go on with.
   */
  generations(view: View, log: string): Promise<readonly GenerationInfo[]>;
  /** Begins a generation beside those that are there. */
  begin(view: View, log: string): Promise<{ readonly number: number; readonly writer: ViewWriter }>;
  /** The writer of a generation that is listed; who opens it again takes it over. */
  open(view: View, generation: number): Promise<ViewWriter>;
  /** Makes a finished generation the one that is read, in one step: no reader meets anything between. */
  promote(view: View, generation: number): Promise<void>;
  /** Drops a generation. Readers of the live one meet ViewNotReady from then on; again: the same. */
  drop(view: View, generation: number): Promise<void>;
  close(): Promise<void>;
}

/** Where views are read, beside a store that another thread or process may be writing. */
export interface ViewReaders {
  /** Throws ViewNotReady on each call while no generation of this version is live. */
  reader<Row extends object>(view: View<Row>): ViewReader<Row>;
  /** A reader sees what was written and promoted up to the last refresh; the projector's notification asks for one. */
  refresh(): void;
  close(): Promise<void>;
}

/** The view is still being built; the caller gets 503 and the progress is in the health report. */
export class ViewNotReady extends Error {
  override name = 'ViewNotReady';
  constructor(readonly view: string) {
    super(`the view ${view} is being built`);
  }
}
