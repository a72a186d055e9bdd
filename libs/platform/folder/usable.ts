import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const NAME_ANOTHER = 'set DATA_DIR to a folder that this user can write to';

/**
 * Checks that a data folder can be used, or can be made. It makes and writes nothing.
 * @throws Error that names the folder, the obstacle and DATA_DIR
 */
export function checkUsable(dataDir: string): void {
  const folder = resolve(dataDir);
  const failure = (what: string): Error => new Error(`the data folder ${folder} (DATA_DIR) ${what}: ${NAME_ANOTHER}`);
  const there = nearest(folder, failure);
  if (!statSync(there).isDirectory()) {
    throw failure(there === folder ? 'is a file' : `cannot be made, because ${there} is a file`);
  }
  try {
    accessSync(there, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'EROFS' ? 'lies on a disk that is read-only' : 'is not writable';
    throw failure(there === folder ? why : `cannot be made, because ${there} ${why}`);
  }
}

/**
 * Makes a data folder, for its owner only, if there is none. It makes one level after another, because Node's recursive mkdir
 * never returns if the system refuses a level (under /proc).
 * @throws Error that names the folder and DATA_DIR
 */
export function makeDataFolder(dataDir: string): void {
  const folder = resolve(dataDir);
  try {
    make(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`the data folder ${folder} (DATA_DIR) cannot be made (${code}): ${NAME_ANOTHER}`, { cause: error });
  }
}

function make(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(folder) !== folder) make(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(folder).isDirectory()) throw error;
  }
}

/** The folder, or the nearest one above it that exists. */
function nearest(path: string, failure: (what: string) => Error): string {
  for (let each = path; ; each = dirname(each)) {
    try {
      if (statSync(each, { throwIfNoEntry: false }) !== undefined || dirname(each) === each) return each;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A file stands in place of a folder: the next level up finds it.
      if (code !== 'ENOTDIR') throw failure(`cannot be read (${code})`);
    }
  }
}
