import { existsSync, readdirSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { BackupRefused } from './damaged.js';
import { BACKUP_FILE } from './manifest.js';

/** What a run has made before its first manifest: the lock with the journal of it, and a manifest that is not whole. */
const BEFORE_MANIFEST = new Set(['lock.db', 'lock.db-journal', `${BACKUP_FILE}.tmp`]);
/** How many foreign names a refusal tells. */
const TOLD = 3;

/**
 * Checks that a folder is a backup, or that one may begin there. Nothing is written.
 * @throws BackupRefused that names what else is there, and what to do
 */
export function refuseForeign(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) {
    throw new BackupRefused(`${folder} is a file, and a backup is a folder: name another place`);
  }
  const there = readdirSync(folder);
  if (there.includes(BACKUP_FILE)) return;
  const foreign = there.filter((name) => !BEFORE_MANIFEST.has(name));
  if (foreign.length === 0) return;
  throw new BackupRefused(
    `${folder} is no backup (it has no ${BACKUP_FILE}), and holds other files (${foreign.slice(0, TOLD).join(', ')}` +
      `${foreign.length > TOLD ? ', …' : ''}): name an empty folder, or one that does not exist yet`,
  );
}

/**
 * Checks that a backup is not within the data folder: whatever destroys the one destroys the other.
 * @throws BackupRefused that names both
 */
export function refuseWithin(folder: string, dataDir: string): void {
  const way = relative(realPath(dataDir), realPath(folder));
  if (way === '..' || way.startsWith(`..${sep}`)) return;
  throw new BackupRefused(
    `${folder} is ${way === '' ? 'the data folder itself' : `in the data folder ${dataDir}`} (DATA_DIR): ` +
      'name a folder outside it, on another disk',
  );
}

/** Removes the folder of a backup whose first run has copied nothing. A folder with anything else stays. */
export function removeEmpty(folder: string): void {
  const there = readdirSync(folder);
  if (there.some((name) => name !== BACKUP_FILE && !BEFORE_MANIFEST.has(name))) return;
  for (const name of there) rmSync(join(folder, name));
  rmdirSync(folder);
}

/** The path without links, also of what does not exist yet. */
function realPath(path: string): string {
  const full = resolve(path);
  const above = dirname(full);
  if (existsSync(full)) return realpathSync(full);
  return above === full ? full : join(realPath(above), basename(full));
}
