import { existsSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { assertComplete, IncompleteDatabase } from './complete.js';

/**
 * A file with a WAL is looked through up to this size, in bytes: a WAL that is another file's, or lacks what was copied into
 * the file already, leaves pages that do not fit each other. A larger one takes too long for a start after a crash.
 */
const LOOKED_THROUGH = 16 * 1024 * 1024;

/** A SQLite file that nobody writes now, to be read. */
export interface ReadOnlyDatabase {
  readonly database: DatabaseSync;
  close(): void;
}

/**
 * Opens a SQLite file, with what its WAL adds to it, so that neither changes: nothing is copied from the WAL, and nothing is
 * left beside the file.
 * @throws IncompleteDatabase, before it is opened or after it was closed again; Error of SQLite
 */
export function openReadOnly(file: string): ReadOnlyDatabase {
  assertComplete(file);
  // Without a WAL nothing but the file need be opened; with one, SQLite wants memory for its index, which it shares in a file.
  const alone = !existsSync(`${file}-wal`) || statSync(`${file}-wal`).size === 0;
  const index = `${file}-shm`;
  const leave = alone || existsSync(index);
  const place = alone ? Object.assign(pathToFileURL(file), { search: '?immutable=1' }) : file;
  const database = new DatabaseSync(place, { readOnly: true });
  const close = (): void => {
    database.close();
    if (!leave) rmSync(index, { force: true });
  };
  try {
    if (!alone && statSync(file).size <= LOOKED_THROUGH) assertFits(database);
  } catch (error) {
    close();
    throw error;
  }
  return { database, close };
}

function assertFits(database: DatabaseSync): void {
  const result = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
  if (result !== 'ok') throw new IncompleteDatabase(String(result));
}
