import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDiskFull } from './disk-full.js';

const SQLITE_BUSY = 5;
/** Milliseconds that a start waits for the lock: whoever asks `isFolderInUse` holds it for a moment. */
const LOOKED_AT = 1_000;

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
  const useless = (cause?: unknown): Error =>
    new Error(
      `the data folder ${dir} (DATA_DIR) cannot be locked: ${file} is not a file, is damaged or cannot be written. ` +
        'It holds nothing: delete it, or let this user write to it',
      { cause },
    );
  // Not by opening it: closing a file drops the locks that this process has on it.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) throw useless();
  let opened: DatabaseSync | undefined;
  try {
    opened = new DatabaseSync(file, { timeout: LOOKED_AT });
    opened.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    opened?.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) {
      throw new Error(
        `another Holdfast runs on the data folder ${dir}: stop it first, or name another folder for this one`,
        { cause: error },
      );
    }
    if (isDiskFull(error)) {
      throw new Error(`the disk of the data folder ${dir} (DATA_DIR) is full: make room, then start again`, {
        cause: error,
      });
    }
    throw useless(error);
  }
  const db = opened;
  return {
    dir,
    release() {
      if (db.isOpen) db.close();
    },
  };
}

/**
 * Whether a process has the folder: a service, or a command that reads it. It writes nothing and waits for nobody.
 * @throws Error of SQLite if the lock file cannot be read
 */
export function isFolderInUse(dir: string): boolean {
  const file = join(dir, 'lock.db');
  if (!existsSync(file)) return false;
  let opened: DatabaseSync | undefined;
  try {
    opened = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    opened.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return true;
    throw error;
  } finally {
    opened?.close();
  }
}
