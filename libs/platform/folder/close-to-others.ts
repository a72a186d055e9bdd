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

/** A file or folder of Holdfast in a data folder that other users can open. */
interface Open {
  readonly path: string;
  /** As a path within the data folder; `.` is the folder itself. */
  readonly name: string;
  readonly mode: number;
}

/**
 * Closes a data folder and Holdfast's files in it to everybody but the owner: redemption codes are money. A folder with files of
 * others stays open; Holdfast's files in it do not.
 */
export function closeFolder(dataDir: string): Tightened {
  const found = { closed: [] as string[], open: [] as string[] };
  for (const { path, name, mode } of openIn(dataDir)) {
    try {
      chmodSync(path, mode & 0o700);
      found.closed.push(name);
    } catch (error) {
      if (!['EPERM', 'EACCES', 'EROFS', 'ENOTSUP'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
      found.open.push(name);
    }
  }
  return found;
}

/** The files that the next start closes, as paths within the folder. It changes nothing. */
export function openFiles(dataDir: string): readonly string[] {
  return [...openIn(dataDir)].map(({ name }) => name);
}

/** Each is looked for when it is taken: a folder that was closed meanwhile is closed. */
function* openIn(dataDir: string): Generator<Open> {
  if (process.platform === 'win32') return;
  const names = readdirSync(dataDir);
  const ours = names.filter(isOurs);
  const { mode } = statSync(dataDir);
  if (ours.length === names.length && (mode & STICKY) === 0 && (mode & NOT_THE_OWNER) !== 0)
    yield { path: dataDir, name: '.', mode };
  for (const name of ours) yield* openWithin(join(dataDir, name), name);
}

function* openWithin(path: string, name: string): Generator<Open> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink()) return;
  if ((stats.mode & NOT_THE_OWNER) !== 0) yield { path, name, mode: stats.mode };
  if (!stats.isDirectory()) return;
  for (const each of readdirSync(path)) yield* openWithin(join(path, each), join(name, each));
}
