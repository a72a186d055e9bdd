import { existsSync, realpathSync } from 'node:fs';
import type { Manifest } from './manifest.js';

/** Where a data folder is, whatever name it was given by. */
export function placeOf(dataDir: string): string {
  return realpathSync(dataDir);
}

/**
 * What operators should know of a folder that was somewhere else when it was started last: moved, or copied. With the log in
 * a file nothing else tells the two apart.
 * @param before the manifest as this start has found it
 * @returns undefined where it is in its place, or nobody knows
 */
export function copiedWords(dataDir: string, before: Pick<Manifest, 'at'> | undefined): string | undefined {
  const was = before?.at;
  const is = placeOf(dataDir);
  if (was === undefined || was === is) return undefined;
  const there = existsSync(was) ? 'and there is a folder still' : 'and there is none any more';
  return (
    `the data folder ${is} was at ${was} when it was started last, ${there}. Moved, or put back from a backup, all is well. ` +
    'If it is a copy, never start the other one again: both would sell the same stock and give out the same codes'
  );
}
