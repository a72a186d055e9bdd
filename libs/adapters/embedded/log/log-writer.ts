import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { CONFLICT, EVENT_FIELDS, type Flat, SKIPPED, WRITTEN } from './batch.js';

const COLUMNS = 'stream, revision, id, type, time, command_id, correlation, causation, actor, data';
const SQLITE_CONSTRAINT_UNIQUE = 2067;
const NONE = -1;

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
  }

  /**
   * Executes a batch in one transaction, or in one per append. After an error the connection is useless. The error is final
   * unless the disk was full, because nobody knows what a failed sync left on disk.
   * @param answers filled as `batch.ts` describes, never with what is not on disk; after an error it has the answers of the
   * earlier transactions
   */
  execute(batch: Flat, answers: number[]): void {
    this.options.onDurable?.(this.commits);
    if (this.options.splitAppends) {
      this.#walk(batch, answers, (at) => this.#transaction(answers, (own) => this.#append(batch, at, own)));
    } else {
      this.#transaction(answers, (own) => this.#walk(batch, own, (at) => this.#append(batch, at, own)));
    }
  }

  /** Visits every append of the batch. Skips the followers of a decision that was not written. */
  #walk(batch: Flat, answers: number[], append: (at: number) => boolean): void {
    for (let at = 0; at < batch.length;) {
      const appends = batch[at++] as number;
      let decided = true;
      for (let index = 0; index < appends; index++) {
        const events = batch[at + 2] as number;
        if (!decided) answers.push(SKIPPED, 0, 0);
        else if (!append(at) && index === 0) decided = false;
        at += 3 + events * EVENT_FIELDS;
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
    if (this.written > before) {
      this.commits += 1;
      this.written += COMMIT_OVERHEAD;
      this.options.onDurable?.(this.commits);
    }
    for (const value of own) answers.push(value);
    return result;
  }

  /**
   * Writes one append, or finds its conflict. Revisions have no gaps, so a conflict always shows at the first event, before
   * anything of the append is written: either `expected` is missing, or the next revision is taken.
   */
  #append(batch: Flat, start: number, answers: number[]): boolean {
    const stream = batch[start] as string;
    const expected = batch[start + 1] as number;
    const events = batch[start + 2] as number;
    let position: number | bigint = 0;
    for (let index = 0; index < events; index++) {
      const at = start + 3 + index * EVENT_FIELDS;
      const insert = index === 0 && expected !== NONE ? this.#insertAfter : this.#insert;
      const data = batch[at + 7] as string;
      try {
        const { changes, lastInsertRowid } = insert.run(
          stream,
          expected + 1 + index,
          batch[at] as string,
          batch[at + 1] as string,
          batch[at + 2] as number,
          batch[at + 3] as string,
          batch[at + 4] as string,
          batch[at + 5] as string | null,
          batch[at + 6] as string,
          data,
        );
        if (changes === 0) return this.#conflict(stream, answers);
        position = lastInsertRowid;
      } catch (error) {
        if (index > 0 || !isTaken(error)) throw error;
        return this.#conflict(stream, answers);
      }
      this.written += EVENT_OVERHEAD + data.length;
    }
    answers.push(WRITTEN, expected + events, Number(position));
    return true;
  }

  #conflict(stream: string, answers: number[]): false {
    const { revision } = this.#last.get(stream) as { revision: number | null };
    answers.push(CONFLICT, revision ?? NONE, 0);
    return false;
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_CONSTRAINT_UNIQUE;
}
