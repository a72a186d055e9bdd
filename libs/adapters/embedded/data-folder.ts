import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/** A folder that only this process may use, until it releases it or ends. */
export interface DataFolder {
  readonly dir: string;
  release(): void;
}

/**
 * Takes the data folder for this process. Makes a missing one, for its owner only. The lock is an open exclusive transaction
 * on `lock.db`: the system drops it when the process ends in any way, so nobody has to remove it by hand.
 * @throws Error if another process, or another part of this one, has the folder
 */
export function lockDataFolder(dir: string): DataFolder {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = join(dir, 'lock.db');
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) {
      throw new Error(
        `another Holdfast runs on the data folder ${dir}: stop it first, or name another folder for this one`,
        { cause: error },
      );
    }
    throw new Error(
      `the data folder ${dir} cannot be locked: ${file} is damaged or cannot be written. It holds nothing: delete it, or let this user write to it`,
      {
        cause: error,
      },
    );
  }
  return {
    dir,
    release() {
      if (db.isOpen) db.close();
    },
  };
}
