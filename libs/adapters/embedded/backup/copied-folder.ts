import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type CopiedLog, eventLine, type EventLine, type StateRows } from '#backup';
import { LogUnusable } from '#eventsourcing/ports';
import type { Position } from '#kernel';
import { iterated } from '../iterated.js';
import { checkContent, checkHeader, damaged } from '../log/log-file.js';
import { type ReadOnlyDatabase, openReadOnly } from '../open-read-only.js';
import { CopiedRows } from '../state/copied-rows.js';

/** Milliseconds that it waits for the writer. */
const BUSY_TIMEOUT = 5_000;
/** The most events and about the most characters of a part: while it is read, the log cannot be checkpointed. */
const PART_EVENTS = 2_000;
const PART_CHARACTERS = 4 * 1024 * 1024;

/** The embedded log of a running service, or of a folder that nobody uses, read by another process. */
export class CopiedEmbeddedLog implements CopiedLog {
  readonly engine = 'embedded';
  readonly identity: string;
  readonly #after: StatementSync;
  readonly #at: StatementSync;
  readonly #head: StatementSync;
  readonly #db: DatabaseSync;

  private constructor(
    private readonly file: string,
    private readonly opened: ReadOnlyDatabase,
  ) {
    this.#db = opened.database;
    this.#after = this.#db.prepare(
      `SELECT position, stream, revision, id, type, time, command_id, correlation, causation, actor, data
         FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ${PART_EVENTS}`,
    );
    this.#after.setReturnArrays(true);
    this.#at = this.#db.prepare('SELECT id FROM events WHERE position = ?');
    this.#head = this.#db.prepare('SELECT coalesce(max(position), 0) AS position FROM events');
    this.identity = String(this.#db.prepare('SELECT identity FROM meta').get()?.['identity']);
  }

  /**
   * @param isRunning whether a service writes to it
   * @throws LogUnusable if it is damaged, another program's or another build's
   */
  static open(file: string, isRunning: boolean): CopiedEmbeddedLog {
    checkHeader(file);
    let opened: ReadOnlyDatabase | undefined;
    try {
      if (isRunning) {
        const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT });
        opened = { database, close: () => database.close() };
      } else {
        opened = openReadOnly(file);
        checkContent(opened.database, file);
      }
      return new CopiedEmbeddedLog(file, opened);
    } catch (error) {
      opened?.close();
      throw error instanceof LogUnusable ? error : damaged(file, error);
    }
  }

  async owner(): Promise<{ readonly installation: string; readonly ledger?: string } | undefined> {
    const { installation, ledger } = this.#db.prepare('SELECT installation, ledger FROM meta').get() ?? {};
    if (typeof installation !== 'string') return undefined;
    return { installation, ...(typeof ledger === 'string' && { ledger }) };
  }

  async head(): Promise<Position> {
    return this.#read(() => BigInt(Number(this.#head.get()?.['position'])));
  }

  async idAt(position: Position): Promise<string | undefined> {
    return this.#read(() => this.#at.get(position)?.['id'] as string | undefined);
  }

  async countAfter(position: Position, upTo: Position): Promise<number> {
    return Number(upTo - position);
  }

  async *events(after: Position, upTo: Position): AsyncGenerator<readonly EventLine[], void, void> {
    for (let last = after; last < upTo;) {
      const lines = this.#part(last, upTo);
      if (lines.length === 0) return;
      last = lines.at(-1)?.position ?? upTo;
      yield lines;
    }
  }

  async close(): Promise<void> {
    this.opened.close();
  }

  #part(after: Position, upTo: Position): readonly EventLine[] {
    return this.#read(() => {
      const lines: EventLine[] = [];
      let characters = 0;
      type Row = [number, string, number, string, string, number, string, string, string | null, string, string];
      iterated<Row>(this.#after, [after, upTo], (row) => {
        const [position, stream, revision, id, type, time, command_id, correlation, causation, actor, data] = row;
        const columns = { stream, revision, id, type, time, command_id, correlation, causation, actor };
        const line = eventLine({ position: BigInt(position), ...columns, data });
        lines.push(line);
        characters += line.text.length;
        return characters < PART_CHARACTERS;
      });
      return lines;
    });
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw damaged(this.file, error);
    }
  }
}

/** What state.db holds in a folder that nobody uses. */
export function openCopiedState(file: string): StateRows & { close(): void } {
  const opened = openReadOnly(file);
  const rows = new CopiedRows(opened.database);
  return {
    entries: () => Promise.resolve(rows.entries()),
    rows: (kind, after) => Promise.resolve(rows.rows(kind, after)),
    changes: () => Promise.resolve({ lines: [], mark: '', more: false }),
    close: () => opened.close(),
  };
}
