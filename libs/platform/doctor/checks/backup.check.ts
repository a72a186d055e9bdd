import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readWithin } from '#files';
import { DAY, isoTime, parsedJson } from '#kernel';
import { FILES } from '#kernel/bounds';
import { DRILL_FILE } from '../../backup/drill-file.js';
import { newestBackup, type NewestBackup } from '../../backup/newest-backup.js';
import type { Looks } from '../looks.js';
import { look, ok, type Result, wrong } from '../verdict.js';
import { timeInWords } from '../words.js';

/** A backup a day, and some hours to make it, in milliseconds. */
const OLD = 1.25 * DAY;
/** The age of the newest backup, and how its last drill ended. */
export async function checkBackup({ environment, now }: Looks): Promise<Result> {
  const folder = environment['BACKUP_DIR'];
  if (folder === undefined || folder === '')
    return look(
      'BACKUP_DIR is not set: this command knows of no backup',
      'Make one (`holdfast backup <folder>`), and set BACKUP_DIR to where the backups are.',
    );
  let newest: NewestBackup | undefined;
  try {
    newest = newestBackup(folder);
  } catch (error) {
    return wrong(
      `BACKUP_DIR cannot be read: ${(error as Error).message}`,
      'Let this user read it, or correct BACKUP_DIR.',
    );
  }
  if (newest === undefined) return wrong(`${folder} holds no backup`, `Make one: holdfast backup ${folder}`);
  const { at } = newest;
  const drilled = lastDrill(newest.folder);
  const facts = `the newest is of ${isoTime(at)} (${timeInWords(Math.max(0, now - at))} ago); ${drilled.words}`;
  if (drilled.isBad) return wrong(facts, `Run \`holdfast drill ${newest.folder}\`, and read what it says.`);
  return now - at > OLD ? look(facts, 'Make one, and find out why none was made since.') : ok(facts);
}

/** How the last drill of a backup ended, in words. */
function lastDrill(folder: string): { readonly words: string; readonly isBad: boolean } {
  const file = join(folder, DRILL_FILE);
  if (statSync(file, { throwIfNoEntry: false }) === undefined)
    return { words: 'nobody has tried to restore it', isBad: false };
  const { verdict, at } = (parsedJson(readWithin(file, FILES.manifest)?.toString() ?? '') ?? {}) as {
    readonly verdict?: unknown;
    readonly at?: unknown;
  };
  const words = `the last drill${typeof at === 'string' ? `, of ${at},` : ''} ended with: ${String(verdict)}`;
  return { words, isBad: verdict !== 'sound' };
}
