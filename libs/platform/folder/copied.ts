import { existsSync, realpathSync } from 'node:fs';
import type { Manifest } from './manifest.js';

/** The real path of a data folder, without links. */
export function placeOf(dataDir: string): string {
  return realpathSync(dataDir);
}

/**
 * A warning for operators if the data folder was elsewhere at its last start. It may have been moved or copied. With an
 * embedded log, nothing else shows which.
 * @param before the manifest that this start found
 * @returns undefined if the folder is new, or in its place
 */
export function copiedWords(dataDir: string, before: Pick<Manifest, 'at'> | undefined): string | undefined {
  const was = before?.at;
  const is = placeOf(dataDir);
  if (was === undefined || was === is) return undefined;
  const there = existsSync(was) ? 'A folder is still there.' : 'Nothing is there now.';
  return (
    `the data folder ${is} was at ${was} at its last start. ${there} If you moved it or restored it from a backup, do nothing. ` +
    'If it is a copy, never start the other one: both would sell the same stock and give out the same codes'
  );
}
