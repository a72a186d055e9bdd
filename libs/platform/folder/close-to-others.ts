import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isOurs, STICKY } from './ours.js';

/** Group and others. */
const NOT_THE_OWNER = 0o077;

/** Files of a data folder that other users could open, as paths within it; `.` is the folder itself. */
export interface Tightened {
  readonly closed: readonly string[];
  /** Files that could not be closed: another user owns them, or the file system has no modes. */
  readonly open: readonly string[];
}

/**
 * Closes a data folder and Holdfast's files in it to everybody but the owner: redemption codes are money. A folder with files of
 * others stays open; Holdfast's files in it do not.
 */
export function closeFolder(dataDir: string): Tightened {
  const found = { closed: [] as string[], open: [] as string[] };
  if (process.platform === 'win32') return found;
  const names = readdirSync(dataDir);
  const ours = names.filter(isOurs);
  const { mode } = statSync(dataDir);
  if (ours.length === names.length && (mode & STICKY) === 0) close(dataDir, '.', found);
  for (const name of ours) closeAll(join(dataDir, name), name, found);
  return found;
}

function closeAll(path: string, name: string, found: { closed: string[]; open: string[] }): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink()) return;
  close(path, name, found);
  if (!stats.isDirectory()) return;
  for (const each of readdirSync(path)) closeAll(join(path, each), join(name, each), found);
}

function close(path: string, name: string, found: { closed: string[]; open: string[] }): void {
  const { mode } = statSync(path);
  if ((mode & NOT_THE_OWNER) === 0) return;
  try {
    chmodSync(path, mode & 0o700);
    found.closed.push(name);
  } catch (error) {
    if (!['EPERM', 'EACCES', 'EROFS', 'ENOTSUP'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
    found.open.push(name);
  }
}
