import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BackupRefused } from './damaged.js';

const SQLITE_BUSY = 5;

/**
 * Takes the folder of a backup for this process, until it releases it or ends in any way. Makes a missing folder, for its owner
 * only.
 * @throws BackupRefused if another process writes to it
 */
export function lockBackup(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let opened: DatabaseSync | undefined;
  try {
    opened = new DatabaseSync(join(folder, 'lock.db'), { timeout: 0 });
    opened.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    opened?.close();
    const isBusy = (error as { readonly errcode?: number }).errcode === SQLITE_BUSY;
    throw new BackupRefused(
      isBusy
        ? `another backup writes to ${folder}: wait until it ends, or stop it`
        : `${folder} cannot be locked (${(error as Error).message}): name a folder that this user can write to`,
    );
  }
  const database = opened;
  return () => {
    if (database.isOpen) database.close();
  };
}
