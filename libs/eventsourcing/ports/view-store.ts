import type { Position, Scalar, View } from '#kernel';
import type { GenerationRows } from './generation-rows.js';
import type { Query, Where } from './query.js';
import type { RowVersion, RowVersions } from './row-versions.js';

/** A row as it is stored. */
export interface StoredRow<Row extends object = object> extends RowVersion {
  readonly row: Row;
}

/** A change of one row; `row` undefined removes it. A change older than the stored row is ignored. */
export interface RowChange {
  readonly key: string;
  readonly row: object | undefined;
  readonly position: Position;
  /** The stored row, just loaded by the same writer: a store may write only what differs from it. */
  readonly before?: object | undefined;
}

/** How far a view has come: its log, and the last event that it has seen. */
export interface Checkpoint {
  readonly log: string;
  readonly position: Position;
  /** The id of the event at `position`, which shows whether the log was replaced. Empty at 0n. */
  readonly event: string;
}

/** How far a generation of a view has come. */
export interface SeenByView {
  readonly view: string;
  readonly checkpoint: Checkpoint;
}

/** A generation whose stored rows cannot be read. */
export interface ViewDamage {
  readonly view: string;
  readonly generation: number;
  /** For people: which file is damaged, and how that showed. */
  readonly reason: string;
}

/** The stored rows of a generation cannot be read: drop it and build it again. The message is the reason. */
export class ViewDamaged extends Error {
  override name = 'ViewDamaged';
}

/** The writing side: one writer per generation at a time. Its methods throw ViewDamaged. */
export interface ViewWriter {
  /** undefined for a generation that has seen no event. */
  checkpoint(): Promise<Checkpoint | undefined>;
  /** The present rows with those keys; missing rows are left out. */
  load(keys: readonly string[]): Promise<ReadonlyMap<string, StoredRow>>;
  /** Writes rows and then the checkpoint. The checkpoint is never ahead of the rows. */
  write(changes: readonly RowChange[], checkpoint: Checkpoint): Promise<void>;
  /**
   * Ends the bulk phase of a new generation: builds its indexes and makes it durable. Readers see it once it is promoted.
   * Until then writes may skip journal and sync, if a generation that breaks off half built is dropped.
   */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** The reading side. Many readers can work beside one writer. */
export interface ViewReader<Row extends object = object, F extends string = string> {
  get(key: string): Promise<StoredRow<Row> | undefined>;
  /** The rows with those keys as JSON, as they were written; missing rows are left out. For whoever compares many. */
  texts(keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * This and the other reads throw a RangeError for a field that the view does not declare, and for an impossible page.
   * @throws DomainError page_too_large | list_too_costly
   */
  find(query: Query<F>): Promise<readonly StoredRow<Row>[]>;
  /** The same rows in the same order as `find`, but does not read their contents: so `most` does not count here. */
  versions(query: Query<F>): Promise<RowVersions>;
  /**
   * @param examine rows that the store may look at; what it counts in an index alone costs little, and has no limit
   * @throws DomainError list_too_costly
   */
  count(where: Where<F>, examine?: number): Promise<number>;
  /**
   * The smallest value except null of a `value` field in the matching rows, over all values if it has many. Null if no
   * matching row has a value, undefined if no row matches.
   */
  min(field: F, where: Where<F>): Promise<Scalar | undefined>;
  /** A read sees every event up to here. 0n while the generation is being built. */
  position(): Promise<Position>;
}

/** One build of a view and version from the beginning of the log. Readers use the live one; the others stand beside it. */
export interface GenerationInfo {
  /** Starts at 1; a number is never used twice for a view and version. */
  readonly number: number;
  /** Only a finished generation can be read. An unfinished one in the list can continue from its checkpoint. */
  readonly finished: boolean;
  readonly live: boolean;
  readonly checkpoint: Checkpoint | undefined;
}

/** Where views are stored: the writing side, which one process at a time uses. */
export interface ViewStore {
  /**
   * The generations of this view and version, the oldest first. Drops generations that were built from another log or with
   * other fields, and unfinished ones that this store cannot continue. A promotion or drop that was asked for before, and got
   * no answer, no longer happens after that. With a live generation, it removes the versions that no build needs any more
   * (`obsoleteVersions`).
   */
  generations(view: View, log: string): Promise<readonly GenerationInfo[]>;
  /** Begins a generation beside the existing ones. */
  begin(view: View, log: string): Promise<{ readonly number: number; readonly writer: ViewWriter }>;
  /** The writer of a listed generation. Opening it again takes it over. */
  open(view: View, generation: number): Promise<ViewWriter>;
  /**
   * Makes a finished generation the live one in one step: readers never see a mix. Where processes share the store, this and
   * `drop` throw if another one has promoted a generation, or asked which there are, since this store was asked. A store that
   * was never asked goes by what it finds.
   */
  promote(view: View, generation: number): Promise<void>;
  /** Drops a generation. Readers of a dropped live one get ViewNotReady from then on. A repeat has the same result. */
  drop(view: View, generation: number): Promise<void>;
  close(): Promise<void>;
}

/** Where views are read, while another thread or process may write the store. */
export interface ViewReaders {
  /**
   * The reader throws ViewNotReady on each call while no generation of this version is live, and if the live one is damaged.
   */
  reader<Row extends object, F extends string>(view: View<Row, F>): ViewReader<Row, F>;
  /**
   * The rows of one generation, to compare it. Whoever asks closes it.
   * @throws ViewNotReady, here or when it is read, if there is no such finished generation
   */
  generation(view: View, number: number): GenerationRows;
  /** Makes readers see everything that was written and promoted up to now. The projector's notification calls it. */
  refresh(): void;
  /** Set it to learn of a damaged generation, which must be built again. */
  onDamage?: ((damage: ViewDamage) => void) | undefined;
  close(): Promise<void>;
}

/** The view is still being built. The caller gets 503; the health report has the progress. */
export class ViewNotReady extends Error {
  override name = 'ViewNotReady';
  constructor(readonly view: string) {
    super(`the view ${view} is being built`);
  }
}
