import { DatabaseSync } from 'node:sqlite';
import type { Position, View } from '#kernel';
import type { Checkpoint } from '#eventsourcing/ports';
import { isDiskFull } from '../disk-full.js';
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
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path + BUILDING, { defensive: false });
    database.exec(
      'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -65536',
    );
    database.exec(schema.tables);
    database
      .prepare(`INSERT INTO meta (log, view, version, layout, many, finished) VALUES (?, ?, ?, ?, '[]', 0)`)
      .run(log, view.name, view.version, layoutOf(schema));
    return database;
  } catch (error) {
    database?.close();
    throw withRoom(path + BUILDING, error);
  }
}

/** The same error; if the disk is full, it names the file and says so. */
export function withRoom(path: string, error: unknown): unknown {
  if (!isDiskFull(error)) return error;
  return new Error(`there is no room for ${path}: make room on the disk; until then the view is not updated`, {
    cause: error,
  });
}

/**
 * The generation, opened for writing; undefined if it belongs to another log or has another shape, was dropped, or its file
 * is damaged.
 * @param damaged called with SQLite's message about the damage
 * @throws Error that names the file if it cannot be opened
 */
export function openIntact(
  path: string,
  view: View,
  log: string,
  damaged: (reason: string) => void,
): DatabaseSync | undefined {
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
    const { message } = error as Error;
    if (database?.isOpen) database.close();
    if (isDiskFull(error)) throw withRoom(path, error);
    if (!isDamage(error)) {
      throw new Error(`${path} cannot be opened (${message}): let this user read and write it, or delete it`, {
        cause: error,
      });
    }
    damaged(message);
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

/**
 * Whether the content of an intact generation turns out to be damaged: SQLite says so, or what was stored is not JSON. In one
 * that was just opened, `isDamage` means more.
 */
export function isCorrupt(error: unknown): boolean {
  return error instanceof SyntaxError || [SQLITE_CORRUPT, SQLITE_NOTADB].includes(codeOf(error));
}

/** The reason of a ViewDamaged, for people. */
export function damageWords(path: string, error: unknown): string {
  return `${path} is damaged (${error instanceof SyntaxError ? 'a row is not JSON' : (error as Error).message})`;
}

const SQLITE_ERROR = 1;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/**
 * Whether the file is no database, a broken one, or one without our tables. Anything else (a lock, too many open files) is
 * no reason to drop it.
 */
export function isDamage(error: unknown): boolean {
  return [SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB].includes(codeOf(error));
}

/** SQLite's plain code, which extended codes carry in their lowest byte; 0 for other errors. */
function codeOf(error: unknown): number {
  return ((error as { readonly errcode?: number }).errcode ?? 0) & 0xff;
}
