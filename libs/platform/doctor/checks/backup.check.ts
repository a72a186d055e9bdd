import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readWithin } from '#files';
import { DAY, isoTime, parsedJson } from '#kernel';
import { FILES } from '#kernel/bounds';
import type { Looks } from '../looks.js';
import { look, ok, type Result, wrong } from '../verdict.js';
import { timeInWords } from '../words.js';

/** A backup a day, and some hours to make it, in milliseconds. */
const OLD = 1.25 * DAY;
/** The most folders that are looked through. */
const MOST = 1_000;

/** The age of the newest backup. */
export async function checkBackup({ environment, now }: Looks): Promise<Result> {
  const folder = environment['BACKUP_DIR'];
  if (folder === undefined || folder === '')
    return look(
      'BACKUP_DIR is not set: this command knows of no backup',
      'Back up the data folder as a whole (docs/operating.md), and set BACKUP_DIR to where the backups are.',
    );
  let at: number | undefined;
  try {
    at = newestBackup(folder);
  } catch (error) {
    return wrong(
      `BACKUP_DIR cannot be read: ${(error as Error).message}`,
      'Let this user read it, or correct BACKUP_DIR.',
    );
  }
  if (at === undefined) return wrong(`${folder} holds no backup`, 'Make one.');
  const facts = `the newest is of ${isoTime(at)} (${timeInWords(Math.max(0, now - at))} ago)`;
  return now - at > OLD ? look(facts, 'Make one, and find out why none was made since.') : ok(facts);
}

/**
 * When the newest backup in a folder was made: the greatest `at` of the manifests `backup.json`, in the folder itself or in the
 * folders in it; undefined for none.
 * @throws Error of the system if the folder cannot be read
 */
export function newestBackup(folder: string): number | undefined {
  const within = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const newest = within
    .map(({ name }) => join(folder, name, 'backup.json'))
    .concat(join(folder, 'backup.json'))
    .flatMap((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found?.isFile() === true ? [{ file, written: found.mtimeMs }] : [];
    })
    .toSorted((one, other) => other.written - one.written)
    .slice(0, MOST)
    .flatMap(({ file }) => {
      const { at } = (parsedJson(readWithin(file, FILES.manifest)?.toString() ?? '') ?? {}) as {
        readonly at?: unknown;
      };
      const time = typeof at === 'string' ? Date.parse(at) : Number.NaN;
      return Number.isNaN(time) ? [] : [time];
    });
  return newest.length === 0 ? undefined : Math.max(...newest);
}
