import { existsSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { assertComplete, IncompleteDatabase } from './complete.js';

/**
 * The largest file with a WAL that is checked as a whole, in bytes. A WAL of another file, or one that lacks what was
 * already copied into the file, leaves pages that do not match. Checking a larger file takes too long for a start after a
 * crash.
 */
const LOOKED_THROUGH = 16 * 1024 * 1024;

/** An open SQLite file that nobody writes now. */
export interface ReadOnlyDatabase {
  readonly database: DatabaseSync;
  close(): void;
}

/**
 * Opens a SQLite file with its WAL without changing either: copies nothing from the WAL and leaves nothing beside the file. If the
 * last process has left its index of the WAL, that stays as it is, too.
 * @throws IncompleteDatabase, with the file closed; Error of SQLite
 */
export function openReadOnly(file: string): ReadOnlyDatabase {
  assertComplete(file);
  // Without a WAL only the file is opened. With one, SQLite needs memory for its index, which it shares in a file.
  const alone = !existsSync(`${file}-wal`) || statSync(`${file}-wal`).size === 0;
  const index = `${file}-shm`;
  const leave = alone || existsSync(index);
  const search = alone ? '?immutable=1' : existsSync(index) ? '?readonly_shm=1' : '';
  const database = new DatabaseSync(Object.assign(pathToFileURL(file), { search }), { readOnly: true });
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
