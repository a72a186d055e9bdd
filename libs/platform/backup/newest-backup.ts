import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newestCopyIn, tailPath } from '#backup';
import { readWithin } from '#files';
import { FILES } from '#kernel/bounds';

/** The most folders that are looked through. */
const MOST = 1_000;

/** The newest backup in a folder. */
export interface NewestBackup {
  /** The folder that holds it. */
  readonly folder: string;
  readonly at: number;
}

/**
 * The newest backup: in the folder itself, or in one of the folders in it; undefined for none.
 * @throws Error of the system if the folder cannot be read
 */
export function newestBackup(folder: string): NewestBackup | undefined {
  const within = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const newest = within
    .map(({ name }) => join(folder, name))
    .concat(folder)
    .flatMap((each) => {
      const found = statSync(join(each, 'backup.json'), { throwIfNoEntry: false });
      return found?.isFile() === true ? [{ folder: each, written: found.mtimeMs }] : [];
    })
    .toSorted((one, other) => other.written - one.written)
    .slice(0, MOST)
    .flatMap(({ folder: each }) => ageOf(each) ?? [])
    .toSorted((one, other) => other.at - one.at);
  return newest[0];
}

/** Up to when a backup reaches: its newest copy, or what follows it. */
function ageOf(folder: string): NewestBackup | undefined {
  const copy = newestCopyIn(readWithin(join(folder, 'backup.json'), FILES.backup)?.toString() ?? '');
  if (copy === undefined) return undefined;
  const followed =
    copy.tail === undefined ? undefined : statSync(join(folder, tailPath(copy.tail)), { throwIfNoEntry: false });
  return { folder, at: Math.max(copy.at, followed?.mtimeMs ?? 0) };
}
