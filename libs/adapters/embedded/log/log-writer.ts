import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BoundedMap } from '#eventsourcing/caches';
import { CONFLICT, DATA, EVENT_FIELDS, type Flat, REVISION, SKIPPED, STREAM, type Value, WRITTEN } from './batch.js';

// The order of the elements of a row in a batch.
const COLUMNS = 'stream, revision, id, type, time, command_id, correlation, causation, actor, data';
const SQLITE_CONSTRAINT_UNIQUE = 2067;
const NONE = -1;

/** How many rows one statement inserts. A statement for many costs less than many statements. */
const ROWS_AT_ONCE = [16, 4, 1];
/** The streams whose last revision the writer remembers are at most about twice as many. */
const KNOWN_STREAMS = 1_000;

/** The rough size on disk of one event without its data, and of one commit without its events. */
const EVENT_OVERHEAD = 512;
const COMMIT_OVERHEAD = 16 * 1024;

export interface LogWriterOptions {
  /** Every append is its own transaction, as on a server without transactions over several streams. */
  readonly splitAppends: boolean;
  /** Called before each batch and after each transaction, with the number of durable transactions that contain events. */
  readonly onDurable?: (transactions: number) => void;
}

/** Executes batches on the writing connection. It runs in the writer's thread and knows nothing about threads. */
export class LogWriter {
  /** About how many bytes were written to the WAL. The code that orders a checkpoint resets it. */
  written = 0;

  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #insert: StatementSync;
  readonly #insertAfter: StatementSync;
  readonly #last: StatementSync;
  readonly #insertRows: readonly { readonly fields: number; readonly statement: StatementSync }[];
  /** The last revisions of streams, as the file has them. No other program writes to the log while this one has it open. */
  readonly #known = new BoundedMap<string, number>(KNOWN_STREAMS);

  constructor(
    private readonly db: DatabaseSync,
    private readonly options: LogWriterOptions,
    /** Transactions with events that are on disk. */
    public commits = 0,
  ) {
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#insert = db.prepare(`INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#insertAfter = db.prepare(
      `INSERT INTO events (${COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
       WHERE EXISTS (SELECT 1 FROM events WHERE stream = ?1 AND revision = ?2 - 1)`,
    );
    this.#last = db.prepare('SELECT max(revision) AS revision FROM events WHERE stream = ?');
    // OR ROLLBACK: otherwise each statement for several rows would keep copies of the pages, to be undone alone.
    this.#insertRows = ROWS_AT_ONCE.map((rows) => ({
      fields: rows * EVENT_FIELDS,
      statement: db.prepare(
        `INSERT OR ROLLBACK INTO events (${COLUMNS}) VALUES ${Array(rows).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join()}`,
      ),
    }));
  }

  /**
   * Executes a batch in one transaction, or in one per append. After an error the connection is useless. The error is final
   * unless the disk was full, because nobody knows what a failed sync left on disk.
   * @param answers filled as `batch.ts` describes, never with what is not on disk; after an error it has the answers of the
   * earlier transactions
   * @returns the position of the last event, if the whole batch was written; then `answers` stays empty
   */
  execute(batch: Flat, answers: number[]): number | undefined {
    this.options.onDurable?.(this.commits);
    if (this.options.splitAppends) {
      this.#walk(batch, answers, (at, events) =>
        this.#transaction(answers, (own) => this.#append(batch.rows, at, events, own)),
      );
      return undefined;
    }
    const position = this.#writeAll(batch);
    if (position !== undefined) return position;
    this.#transaction(answers, (own) =>
      this.#walk(batch, own, (at, events) => this.#append(batch.rows, at, events, own)),
    );
    return undefined;
  }

  /** Writes the batch if each of its appends finds the revision that it expects, as almost all do. Otherwise nothing. */
  #writeAll({ shape, rows }: Flat): number | undefined {
    this.#begin.run();
    try {
      const position = this.#asExpected(shape, rows) ? this.#insertAll(rows) : undefined;
      if (position === undefined) {
        this.#undo();
        return undefined;
      }
      // Returns after the sync of the WAL; only now readers see the events.
      this.#commit.run();
      this.#committed(sizeOf(rows));
      return position;
    } catch (error) {
      this.#undo();
      // A stream that should not exist does.
      if (isTaken(error)) return undefined;
      throw error;
    }
  }

  /** Whether the streams that must exist stand at the expected revisions. The index refuses new streams that exist. */
  #asExpected(shape: readonly number[], rows: readonly Value[]): boolean {
    let at = 0;
    for (let next = 0; next < shape.length;) {
      const end = next + (shape[next] as number);
      while (next < end) {
        next += 1;
        const events = shape[next] as number;
        const expected = (rows[at + REVISION] as number) - 1;
        if (expected !== NONE) {
          const stream = rows[at + STREAM] as string;
          if ((this.#known.get(stream) ?? this.#lastOf(stream)) !== expected) return false;
          this.#known.set(stream, expected + events);
        }
        at += events * EVENT_FIELDS;
      }
      next += 1;
    }
    return true;
  }

  /** @returns the position of the last row */
  #insertAll(rows: readonly Value[]): number {
    let position: number | bigint = 0;
    let at = 0;
    for (const { fields, statement } of this.#insertRows) {
      while (rows.length - at >= fields) {
        position = statement.run(...rows.slice(at, at + fields)).lastInsertRowid;
        at += fields;
      }
    }
    return Number(position);
  }

  /** Undoes the transaction, and forgets the revisions that it would have led to. */
  #undo(): void {
    this.#known.clear();
    if (this.db.isTransaction) this.db.exec('ROLLBACK');
  }

  /** Visits every append of the batch. Skips the followers of a decision that was not written. */
  #walk({ shape }: Flat, answers: number[], append: (at: number, events: number) => boolean): void {
    let at = 0;
    for (let next = 0; next < shape.length;) {
      const appends = shape[next++] as number;
      let decided = true;
      for (let index = 0; index < appends; index++) {
        const events = shape[next++] as number;
        if (!decided) answers.push(SKIPPED, 0, 0);
        else if (!append(at, events) && index === 0) decided = false;
        at += events * EVENT_FIELDS;
      }
    }
  }

  #transaction<T>(answers: number[], run: (own: number[]) => T): T {
    const own: number[] = [];
    const before = this.written;
    this.#begin.run();
    let result: T;
    try {
      result = run(own);
      // Returns after the sync of the WAL; only now readers see the events.
      this.#commit.run();
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      throw error;
    }
    if (this.written > before) this.#committed(COMMIT_OVERHEAD);
    for (const value of own) answers.push(value);
    return result;
  }

  /** @param bytes about how many were written, and are not yet counted */
  #committed(bytes: number): void {
    this.commits += 1;
    this.written += bytes;
    this.options.onDurable?.(this.commits);
  }

  /**
   * Writes one append, or finds its conflict. Revisions have no gaps, so a conflict always shows at the first event, before
   * anything of the append is written: either `expected` is missing, or the next revision is taken.
   */
  #append(rows: readonly Value[], start: number, events: number, answers: number[]): boolean {
    const stream = rows[start + STREAM] as string;
    const expected = (rows[start + REVISION] as number) - 1;
    let position: number | bigint = 0;
    for (let index = 0; index < events; index++) {
      const at = start + index * EVENT_FIELDS;
      const insert = index === 0 && expected !== NONE ? this.#insertAfter : this.#insert;
      try {
        const { changes, lastInsertRowid } = insert.run(...rows.slice(at, at + EVENT_FIELDS));
        if (changes === 0) return this.#conflict(stream, answers);
        position = lastInsertRowid;
      } catch (error) {
        if (index > 0 || !isTaken(error)) throw error;
        return this.#conflict(stream, answers);
      }
      this.written += EVENT_OVERHEAD + (rows[at + DATA] as string).length;
    }
    answers.push(WRITTEN, expected + events, Number(position));
    return true;
  }

  #conflict(stream: string, answers: number[]): false {
    answers.push(CONFLICT, this.#lastOf(stream), 0);
    return false;
  }

  #lastOf(stream: string): number {
    const { revision } = this.#last.get(stream) as { revision: number | null };
    return revision ?? NONE;
  }
}

/** About how many bytes one commit of these rows writes. */
function sizeOf(rows: readonly Value[]): number {
  let bytes = COMMIT_OVERHEAD;
  for (let at = DATA; at < rows.length; at += EVENT_FIELDS) bytes += EVENT_OVERHEAD + (rows[at] as string).length;
  return bytes;
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_CONSTRAINT_UNIQUE;
}
