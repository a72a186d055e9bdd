import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Json } from '../../support/running-service.js';
import { newDataDir } from '../../support/running-service.js';

/** An event's row in the file of the log. */
export interface StoredEvent {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly time: number;
  readonly causation: string | null;
  readonly actor: string;
  readonly data: Json;
}

/** The log file of a stopped service, which somebody changes by hand. */
export class LogFile {
  readonly #db: DatabaseSync;

  constructor(dataDir: string) {
    this.#db = new DatabaseSync(join(dataDir, 'events.db'));
  }

  /** All events, in order. */
  get events(): readonly StoredEvent[] {
    const rows = this.#db.prepare('SELECT * FROM events ORDER BY position').all() as unknown as StoredEvent[];
    return rows.map((row) => ({ ...row, data: JSON.parse(String(row.data)) }));
  }

  /** The events of a type. */
  of(type: string): readonly StoredEvent[] {
    return this.events.filter((event) => event.type === type);
  }

  /** The event of a type with this index; from the end if it is negative. */
  one(type: string, index: number): StoredEvent {
    const event = this.of(type).at(index);
    if (event === undefined) throw new Error(`the log has no ${type} with index ${index}`);
    return event;
  }

  /** Changes fields of an event’s data. */
  change({ position, data }: StoredEvent, changes: Json): void {
    const text = JSON.stringify({ ...data, ...changes });
    this.#db.prepare('UPDATE events SET data = ? WHERE position = ?').run(text, position);
  }

  /** Changes a column of an event. */
  set({ position }: StoredEvent, column: 'actor' | 'time' | 'causation', value: string | number | null): void {
    this.#db.prepare(`UPDATE events SET ${column} = ? WHERE position = ?`).run(value, position);
  }

  deleteStream(stream: string): void {
    this.#db.prepare('DELETE FROM events WHERE stream = ?').run(stream);
  }

  delete({ position }: StoredEvent): void {
    this.#db.prepare('DELETE FROM events WHERE position = ?').run(position);
  }

  /** Each stands where the other stood. */
  swap(one: StoredEvent, other: StoredEvent): void {
    const move = this.#db.prepare('UPDATE events SET position = ? WHERE position = ?');
    move.run(-1, one.position);
    move.run(one.position, other.position);
    move.run(other.position, -1);
  }

  /** Adds an event at the end of the log, as like another one as possible. */
  add(like: StoredEvent, event: Partial<StoredEvent>): void {
    const { stream, type, actor, data, causation, time } = { ...like, ...event };
    const last = this.#db.prepare('SELECT max(revision) AS last FROM events WHERE stream = ?').get(stream);
    const revision = ((last?.['last'] ?? -1) as number) + 1;
    const [{ time: now } = { time }] = this.events.toReversed();
    this.#db
      .prepare(
        `INSERT INTO events (id, stream, revision, type, time, command_id, correlation, causation, actor, data)
         SELECT ?, ?, ?, ?, ?, command_id, correlation, ?, ?, ? FROM events WHERE position = ?`,
      )
      .run(
        ...[`00000000-0000-7000-8000-${String(this.events.length).padStart(12, '0')}`, stream, revision, type],
        ...[event.causation === undefined ? now : time, causation, actor, JSON.stringify(data), like.position],
      );
  }

  close(): void {
    this.#db.close();
  }
}

/** A copy of a stopped service's folder, changed by hand. */
export function brokenCopy(dataDir: string, breakIt: (log: LogFile) => void): string {
  const copy = newDataDir();
  cpSync(dataDir, copy, { recursive: true });
  const log = new LogFile(copy);
  try {
    breakIt(log);
  } finally {
    log.close();
  }
  return copy;
}
