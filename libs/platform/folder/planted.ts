import {
  chmodSync,
  type Dirent,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { FolderRefused } from './faults.js';
import { isOurs, STICKY } from './ours.js';

/** Group and others may write. */
const WRITTEN_BY_OTHERS = 0o022;
const WRITTEN_BY_ALL = 0o002;

/** The most places that a refusal names. */
const MOST_NAMED = 5;

/**
 * Refuses a data folder in which somebody else may have put links in place of our files: the service would write to where they
 * lead, or lose what others keep there. It makes a folder of ours that others may write to theirs no more, and looks again:
 * from then on nobody else can put anything there. Otherwise it writes nothing.
 * @param mayChange false: it changes nothing, and only says what a start would refuse
 * @throws FolderRefused that names each path and says what to do
 */
export function refusePlanted(dataDir: string, mayChange = true): void {
  const folder = resolve(dataDir);
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isSymbolicLink()) checkLink(folder, found);
  checkNames(folder);
  if (process.platform !== 'win32' && shutOut(folder, mayChange)) checkNames(folder);
}

function refused(folder: string, words: string): FolderRefused {
  return new FolderRefused(`the data folder ${folder} (DATA_DIR) ${words}`);
}

/** A link may name the data folder: one of this user or of root, to a folder of this user that nobody else can write to. */
function checkLink(folder: string, link: Stats): void {
  const target = statSync(folder, { throwIfNoEntry: false });
  if (target === undefined) {
    throw refused(
      folder,
      `is a link to ${readlinkSync(folder)}, which does not exist: make that folder, or remove the link`,
    );
  }
  const user = process.getuid?.();
  if (user === undefined) return;
  const place = realpathSync(folder);
  if (link.uid !== user && link.uid !== 0) {
    throw refused(folder, `is a link that another user made: set DATA_DIR to ${place} if that is the folder`);
  }
  if (target.uid !== user) {
    throw refused(
      folder,
      `is a link to ${place}, which belongs to another user: set DATA_DIR to a folder of this user`,
    );
  }
  if ((target.mode & WRITTEN_BY_OTHERS) !== 0) {
    throw refused(folder, `is a link to ${place}, which others can write to: run chmod go-w ${place}`);
  }
}

/** @throws FolderRefused if one of our names is a link, or a second name of a file that stands elsewhere, or no file */
function checkNames(folder: string): void {
  if (!statSync(folder).isDirectory()) return;
  const entries = entriesOf(folder).filter(({ name }) => isOurs(name));
  // The service never opens the mails in the outbox again, and replaces them by renaming.
  const views = entries.some((entry) => entry.name === 'views' && entry.isDirectory())
    ? readdirSync(join(folder, 'views'), { withFileTypes: true, recursive: true })
    : [];
  const paths = [...entries, ...views].map(({ parentPath, name }) => join(parentPath, name));
  const found = paths.flatMap((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ path, stats }];
  });
  /** How many names of each file are here: a start that broke off may leave a second one. */
  const names = new Map<string, number>();
  for (const { stats } of found) names.set(fileOf(stats), (names.get(fileOf(stats)) ?? 0) + 1);
  const faults = found.flatMap(({ path, stats }) => {
    const fault = faultOf(path, stats, names.get(fileOf(stats)) ?? 1);
    return fault === undefined ? [] : [`${path} must be a file that the service can read, but ${fault}`];
  });
  if (faults.length === 0) return;
  const more = faults.length > MOST_NAMED ? `; and ${faults.length - MOST_NAMED} more` : '';
  throw refused(folder, `was left as it is. ${faults.slice(0, MOST_NAMED).join('; ')}${more}.`);
}

function entriesOf(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true });
}

const fileOf = ({ dev, ino }: Stats): string => `${dev} ${ino}`;

/** What is wrong with a name of ours, and what to do; undefined for a file that has all its names here, and for a folder. */
function faultOf(path: string, stats: Stats, namesHere: number): string | undefined {
  if (stats.isSymbolicLink()) {
    return `it is a link to ${readlinkSync(path)}: remove it if you did not make it; otherwise move what it leads to here`;
  }
  if (stats.isDirectory()) return undefined;
  if (!stats.isFile()) {
    const kind = stats.isFIFO() ? 'pipe' : stats.isSocket() ? 'socket' : 'device';
    return `it is a ${kind}: remove it`;
  }
  if (stats.nlink <= namesHere) return undefined;
  return `the same file has another name elsewhere (a hard link): make a copy of it here (cp ${path} ${path}.copy && mv ${path}.copy ${path})`;
}

/**
 * Lets nobody else write to a folder.
 * @returns whether others could
 * @throws FolderRefused if everybody can, and this user may not change that, or others keep their files there
 */
function shutOut(folder: string, mayChange: boolean): boolean {
  const { mode, uid } = statSync(folder);
  if ((mode & WRITTEN_BY_OTHERS) === 0) return false;
  const user = process.getuid?.();
  const isOwn = (user === 0 || uid === user) && (mode & STICKY) === 0 && readdirSync(folder).every(isOurs);
  if (isOwn) {
    if (!mayChange) return false;
    try {
      chmodSync(folder, mode & 0o777 & ~WRITTEN_BY_OTHERS);
    } catch (error) {
      // A file system without modes: closeFolder says so.
      if (!['EPERM', 'EROFS', 'ENOTSUP'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
    }
    return true;
  }
  if ((mode & WRITTEN_BY_ALL) === 0) return false;
  const advice = (mode & STICKY) === 0 ? `run chmod o-w ${folder}, or name` : 'name';
  throw refused(
    folder,
    `can be written to by every user of this machine: ${advice} a folder of its own, such as ${join(folder, 'holdfast')}`,
  );
}
