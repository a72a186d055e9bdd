import { existsSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/**
 * Reads a SQLite file that nobody writes now, with what its WAL adds to it, and changes neither: nothing is copied from the
 * WAL, and nothing is left beside the file. Undefined where there is no file.
 */
export function lookAt<T>(file: string, read: (database: DatabaseSync) => T): T | undefined {
  if (!existsSync(file)) return undefined;
  // Without a WAL nothing but the file need be opened; with one, SQLite wants memory for its index, which it shares in a file.
  const alone = !existsSync(`${file}-wal`) || statSync(`${file}-wal`).size === 0;
  const index = `${file}-shm`;
  const leave = alone || existsSync(index);
  const database = new DatabaseSync(alone ? Object.assign(pathToFileURL(file), { search: '?immutable=1' }) : file, {
    readOnly: true,
  });
  try {
    return read(database);
  } finally {
    database.close();
    if (!leave) rmSync(index, { force: true });
  }
}
