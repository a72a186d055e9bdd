import { DatabaseSync } from 'node:sqlite';
import type { Position, View } from '#kernel';
import type { Checkpoint } from '#eventsourcing/ports';
import { BUILDING, deleteDatabase } from './generation-files.js';
import { layoutOf, schemaOf } from './schema.js';

interface Meta {
  readonly log: string;
  readonly layout: string;
  readonly finished: bigint | number;
}

/**
 * The values of `meta.finished`. Readers check it in every read transaction, and only when it changes they must ask which
 * generation is live now. A crash may leave LIVE and BESIDE behind the truth in the `.live` file; the next start corrects
 * them.
 */
export const Phase = { BUILDING_OR_DROPPED: 0, LIVE: 1, BESIDE: 2 } as const;
export type Phase = (typeof Phase)[keyof typeof Phase];

/** How long a connection waits for another one's lock, in milliseconds. */
const LOCK_TIMEOUT = 5_000;

/**
 * Opens a generation in the mode of live ones: a commit is always atomic, and the log gives again what a power cut removes
 * from the end.
 */
export function openLive(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: LOCK_TIMEOUT });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Begins a generation under its building name. Journal and sync are off, which SQLite allows only for connections that are
 * not defensive: a generation that breaks off half built is dropped, never repaired.
 */
export function begin(path: string, view: View, log: string): DatabaseSync {
  const schema = schemaOf(view);
  const database = new DatabaseSync(path + BUILDING, { defensive: false });
  database.exec(
    'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -65536',
  );
  database.exec(schema.tables);
  database
    .prepare(`INSERT INTO meta (log, view, version, layout, many, finished) VALUES (?, ?, ?, ?, '[]', 0)`)
    .run(log, view.name, view.version, layoutOf(schema));
  return database;
}

/**
 * The generation, opened for writing; undefined if it belongs to another log or has another shape, was dropped, or its file
 * is damaged.
 */
export function openIntact(path: string, view: View, log: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = openLive(path);
    const meta = database
      .prepare('SELECT log, layout, finished FROM meta WHERE view = ? AND version = ?')
      .get(view.name, view.version) as Meta | undefined;
    const shape = layoutOf(schemaOf(view));
    if (meta?.log === log && meta.layout === shape && Number(meta.finished) !== Phase.BUILDING_OR_DROPPED)
      return database;
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  if (database?.isOpen) database.close();
  return undefined;
}

/** Tells readers that have a finished generation open what it is from now on. */
export function mark(path: string, phase: Phase): void {
  const database = new DatabaseSync(path, { timeout: LOCK_TIMEOUT });
  try {
    markIn(database, phase);
  } finally {
    database.close();
  }
}

/** The same in an open connection. */
export function markIn(database: DatabaseSync, phase: Phase): void {
  database.prepare('UPDATE meta SET finished = ? WHERE finished <> ?').run(phase, phase);
}

/** How far the generation has come; undefined if it has seen nothing. */
export function checkpointIn(database: DatabaseSync): Checkpoint | undefined {
  const statement = database.prepare('SELECT log, position, event FROM meta');
  statement.setReadBigInts(true);
  const { log, position, event } = statement.get() as Omit<Checkpoint, 'position'> & { position: Position | null };
  return position === null ? undefined : { log, position, event };
}

/** Tells readers that have the generation open, then deletes it. */
export function drop(path: string): void {
  try {
    mark(path, Phase.BUILDING_OR_DROPPED);
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  deleteDatabase(path);
}

const SQLITE_ERROR = 1;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/**
 * Whether the file is no database, a broken one, or one without our tables. Anything else (a lock, too many open files) is
 * no reason to drop it.
 */
export function isDamage(error: unknown): boolean {
  const code = (error as { readonly errcode?: number }).errcode;
  // Extended codes carry the plain code in their lowest byte.
  return code !== undefined && [SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB].includes(code & 0xff);
}
