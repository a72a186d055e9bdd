import { existsSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** A SQLite file that nobody writes now, to be read. */
export interface Looked {
  readonly database: DatabaseSync;
  close(): void;
}

/**
 * Opens a SQLite file, with what its WAL adds to it, so that neither changes: nothing is copied from the WAL, and nothing is
 * left beside the file.
 */
export function openToLook(file: string): Looked {
  // Without a WAL nothing but the file need be opened; with one, SQLite wants memory for its index, which it shares in a file.
  const alone = !existsSync(`${file}-wal`) || statSync(`${file}-wal`).size === 0;
  const index = `${file}-shm`;
  const leave = alone || existsSync(index);
  const place = alone ? Object.assign(pathToFileURL(file), { search: '?immutable=1' }) : file;
  const database = new DatabaseSync(place, { readOnly: true });
  return {
    database,
    close() {
      database.close();
      if (!leave) rmSync(index, { force: true });
    },
  };
}
