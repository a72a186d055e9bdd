import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFolderInUse } from '#adapters/embedded';
import { readWithin } from '#files';
import { parsedJson } from '#kernel';
import { FILES } from '#kernel/bounds';
import { FolderRefused } from './faults.js';
import { EVENTS_FILE, LEDGER_FILE, STATE_FILE } from './inspected-folder.js';
import { MANIFEST_FILE } from './manifest.js';

/** The end of the names of files that a restore has not finished. */
export const UNFINISHED = '.restoring.tmp';

/** What a restore writes into a folder. */
export interface BegunRestore {
  /** The folder of the backup. */
  readonly backup: string;
  /** The copy as the operator named it; absent: the newest. */
  readonly at?: string | undefined;
  /** When it began. */
  readonly began: string;
}

/** There while a restore works, with what it is: first under the one name, and under the other while it gives its files their names. */
const WRITING = `restore${UNFINISHED}`;
const NAMING = `restored${UNFINISHED}`;

/** Files that a restore names, and what SQLite puts beside them. */
const NAMED = new Set(
  [EVENTS_FILE, STATE_FILE, LEDGER_FILE].flatMap((name) => ['', '-wal', '-shm', '-journal'].map((end) => name + end)),
);

/** The names of files that a restore has not finished. A folder with a manifest has none: a restore writes it last. */
export function leftoversIn(dataDir: string): readonly string[] {
  const names = existsSync(dataDir) ? readdirSync(dataDir) : [];
  if (names.includes(MANIFEST_FILE)) return [];
  const isNaming = names.includes(NAMING);
  return names.filter((name) => name.includes(UNFINISHED) || (isNaming && NAMED.has(name)));
}

/** @throws FolderRefused if a restore works in a data folder */
export function refuseRestoring(dataDir: string): void {
  if (leftoversIn(dataDir).length === 0 || !isFolderInUse(dataDir)) return;
  const begun = begunIn(dataDir);
  const what = begun === undefined ? '' : ` (${wordsOf(begun)})`;
  throw new FolderRefused(`a restore works in the data folder ${dataDir} (DATA_DIR)${what}: wait until it has ended`);
}

/**
 * Refuses a data folder in which a restore works, or was not finished.
 * @throws FolderRefused that says what to do
 */
export function refuseUnfinished(dataDir: string): void {
  refuseRestoring(dataDir);
  refuseBrokenOff(dataDir);
}

/** @throws FolderRefused if a restore was not finished in a data folder in which none works */
export function refuseBrokenOff(dataDir: string): void {
  const left = leftoversIn(dataDir);
  if (left.length === 0) return;
  const begun = begunIn(dataDir);
  const again =
    begun === undefined
      ? 'run it again (holdfast restore …)'
      : `${wordsOf(begun)}. Run it again (holdfast restore ${begun.backup} …)`;
  throw new FolderRefused(
    `a restore of the data folder ${dataDir} (DATA_DIR) was not finished: ${again}, or, to begin a new installation, ` +
      `delete ${left.map((name) => join(dataDir, name)).join(' and ')}`,
  );
}

/** What the restore is that has begun in a folder; undefined if an earlier build began it, or it was cut off before it could say. */
function begunIn(dataDir: string): BegunRestore | undefined {
  for (const mark of [WRITING, NAMING]) {
    const file = join(dataDir, mark);
    if (!existsSync(file)) continue;
    const { backup, at, began } = (parsedJson(readWithin(file, FILES.restoring)?.toString('utf8') ?? '') ??
      {}) as Partial<Record<keyof BegunRestore, unknown>>;
    if (typeof backup !== 'string' || typeof began !== 'string') continue;
    return { backup, began, ...(typeof at === 'string' && { at }) };
  }
  return undefined;
}

const wordsOf = ({ backup, at, began }: BegunRestore): string =>
  `${at === undefined ? 'the newest copy' : `the copy of ${at}`} in the backup ${backup}, begun at ${began}`;

/** Begins a restore into a locked folder: from now on no service starts there. It removes what an earlier one has left. */
export function beginRestore(dataDir: string, begun: BegunRestore): void {
  removeLeftovers(dataDir);
  writeFileSync(join(dataDir, WRITING), JSON.stringify(begun), { mode: 0o600 });
}

/** From now on the restore gives its files their names. */
export function beginNaming(dataDir: string): void {
  renameSync(join(dataDir, WRITING), join(dataDir, NAMING));
}

/** The restore is finished. */
export function endRestore(dataDir: string): void {
  rmSync(join(dataDir, NAMING), { force: true });
}

/** Removes what a restore has not finished, and last what says so. */
export function removeLeftovers(dataDir: string): void {
  const marks = new Set([WRITING, NAMING]);
  for (const name of leftoversIn(dataDir).toSorted((a, b) => Number(marks.has(a)) - Number(marks.has(b))))
    rmSync(join(dataDir, name), { force: true });
}
