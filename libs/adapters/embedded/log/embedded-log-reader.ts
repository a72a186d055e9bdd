import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { thisMachine } from '#adapters/machine';
import type { Position, Recorded } from '#kernel';
import {
  type Batch,
  type EventLogReader,
  type LogRecord,
  LogUnusable,
  type Page,
  PAGE_BYTES,
  pageOf,
} from '#eventsourcing/ports';
import { type ReadOnlyDatabase, openReadOnly } from '../open-read-only.js';
import { upTo } from '../up-to.js';
import { checkContent, checkHeader, damaged, dataOf } from './log-file.js';

/** Milliseconds between two looks of a subscription, in case a notification was lost. */
const POLL_EVERY = 200;
const BUSY_TIMEOUT = 5_000;

const COLUMNS = 'position, stream, revision, id, type, time, command_id, correlation, causation, actor, data';

type Row = [number, string, number, string, string, number, string, string, string | null, string, string];
/** Where a row has its position, its revision and the event's data. */
const POSITION = 0;
const REVISION = 2;
const DATA = 10;
/** Rows that are read together: that costs less than one after another. They have 32 MB of data at most. */
const TOGETHER = 64;

/**
 * Reads the embedded log over its own connection, in the calling thread, while the writer's thread of the same process
 * appends. SQLite shows a commit to readers only after the WAL's sync, which makes it durable, has returned.
 */
export class EmbeddedLogReader implements EventLogReader {
  readonly countsBytes = false;
  readonly identity: string;
  readonly dense = true;
  readonly #db: DatabaseSync;
  readonly #byStream: StatementSync;
  readonly #after: StatementSync;
  readonly #at: StatementSync;
  readonly #head: StatementSync;
  readonly #sleepers = new Set<() => void>();
  #closed = false;

  private constructor(
    private readonly file: string,
    private readonly connection: ReadOnlyDatabase,
  ) {
    this.#db = connection.database;
    this.#byStream = this.#prepare(`WHERE stream = ? AND revision >= ? ORDER BY revision ${upTo('?')}`);
    this.#after = this.#prepare(`WHERE position > ? ORDER BY position ${upTo('?')}`);
    this.#at = this.#prepare('WHERE position = ?');
    this.#head = this.#db.prepare('SELECT coalesce(max(position), 0) AS position FROM events');
    this.identity = String(this.#db.prepare('SELECT identity FROM meta').get()?.['identity']);
  }

  /**
   * @param file a log that an EmbeddedLog of this process has opened
   * @throws LogUnusable
   */
  static open(file: string): EmbeddedLogReader {
    try {
      const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT });
      return new EmbeddedLogReader(file, { database, close: () => database.close() });
    } catch (error) {
      throw damaged(file, error);
    }
  }

  /**
   * Opens a log that nobody has open and writes nothing.
   * @throws LogUnusable if it is damaged, another program's or another build's
   */
  static look(file: string): EmbeddedLogReader {
    checkHeader(file);
    let looked: ReadOnlyDatabase | undefined;
    try {
      looked = openReadOnly(file);
      checkContent(looked.database, file);
      return new EmbeddedLogReader(file, looked);
    } catch (error) {
      looked?.close();
      throw error instanceof LogUnusable ? error : damaged(file, error);
    }
  }

  /** Makes the subscriptions look immediately, because something was appended. */
  notify(): void {
    for (const wake of this.#sleepers) wake();
  }

  /** The log's record about itself. */
  record(): LogRecord {
    return this.#read(() => {
      const { installation, keys, ledger } = this.#db.prepare('SELECT * FROM meta').get() ?? {};
      if (typeof installation !== 'string' || typeof keys !== 'string')
        return { identity: this.identity, owner: undefined };
      const named = typeof ledger === 'string' ? { ledger } : {};
      return { identity: this.identity, owner: { installation, keys, ...named } };
    });
  }

  async readStream(stream: string, from: number, max: number): Promise<Page> {
    const { rows, more } = this.#page(max, max, (last, count) =>
      this.#byStream.all(stream, last === undefined ? from : last[REVISION] + 1, count),
    );
    return pageOf(
      rows.map((row) => this.#decode(row)),
      more,
    );
  }

  async head(): Promise<Position> {
    return this.#read(() => BigInt((this.#head.get() as { position: number }).position));
  }

  async eventAt(position: Position): Promise<Recorded | undefined> {
    return this.#events(this.#at, position)[0];
  }

  async *subscribe(after: Position, max: number, signal: AbortSignal): AsyncGenerator<Batch, void, void> {
    let last = after;
    let first = true;
    while (!signal.aborted && !this.#closed) {
      // One more than requested shows whether there is more.
      const { rows, more } = this.#page(max, max + 1, (row, count) => this.#after.all(row?.[POSITION] ?? last, count));
      const caughtUp = !more;
      const events = rows.map((row) => this.#decode(row));
      last = events.at(-1)?.position ?? last;
      if (events.length > 0 || first) yield { events, caughtUp };
      else await this.#sleep(signal);
      first = false;
    }
  }

  /** The last events of a type, in all its versions, the last one first. It may read the whole log. */
  latest(name: string, most: number): readonly Recorded[] {
    return this.#events(this.#prepare(`WHERE type GLOB ? ORDER BY position DESC ${upTo('?')}`), `${name}.v*`, most);
  }

  /** Ends the subscriptions. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.notify();
    this.connection.close();
  }

  #prepare(where: string): StatementSync {
    const statement = this.#db.prepare(`SELECT ${COLUMNS} FROM events ${where}`);
    statement.setReturnArrays(true);
    return statement;
  }

  #events(statement: StatementSync, ...parameters: SQLInputValue[]): Recorded[] {
    return this.#rows(statement, ...parameters).map((row) => this.#decode(row));
  }

  /**
   * The first rows of a query: `most` at most, up to the one that reaches `PAGE_BYTES`. `more` if it has found others.
   * @param limit how many rows it looks for: with more than `most` it finds out whether there are others
   * @param next so many rows of the query after the last one, or its first ones
   */
  #page(
    most: number,
    limit: number,
    next: (last: Row | undefined, count: number) => unknown[],
  ): { rows: Row[]; more: boolean } {
    return this.#read(() => {
      const rows: Row[] = [];
      let characters = 0;
      for (let isEnd = false; !isEnd && rows.length < limit;) {
        const count = Math.min(TOGETHER, limit - rows.length);
        const found = next(rows.at(-1), count) as Row[];
        for (const row of found) {
          if (rows.length >= most || characters >= PAGE_BYTES) return { rows, more: true };
          rows.push(row);
          characters += row[DATA].length;
        }
        isEnd = found.length < count;
      }
      return { rows, more: false };
    });
  }

  #rows(statement: StatementSync, ...parameters: SQLInputValue[]): Row[] {
    return this.#read(() => statement.all(...parameters) as unknown as Row[]);
  }

  #decode(row: Row): Recorded {
    const [position, stream, revision, id, type, time, command_id, correlation, causation, actor, data] = row;
    return {
      type,
      data: this.#read(() => dataOf(position, data)),
      id,
      stream,
      revision,
      position: BigInt(position),
      metadata: { time, command_id, correlation, causation, actor },
    };
  }

  #read<T>(read: () => T): T {
    if (this.#closed) throw new Error(`the event log ${this.file} is closed`);
    try {
      return read();
    } catch (error) {
      throw damaged(this.file, error);
    }
  }

  #sleep(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        thisMachine.time.cancel(timer);
        signal.removeEventListener('abort', wake);
        this.#sleepers.delete(wake);
        resolve();
      };
      const timer = thisMachine.time.after(POLL_EVERY, wake);
      signal.addEventListener('abort', wake, { once: true });
      this.#sleepers.add(wake);
    });
  }
}
