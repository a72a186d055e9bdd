import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { buildFingerprint, formatFingerprint } from './fingerprint.js';
import type { FolderNotes, FolderSpec } from './folder-spec.js';
import { bringUpToDate, makeFolder } from './make-folder.js';

/** For all clones on this machine. */
const CACHE = join(homedir(), '.cache', 'holdfast', 'bench');
const NOTES = 'bench-folder.json';

/** A data folder of a run, which it may change. */
export interface OpenedFolder {
  readonly dataDir: string;
  readonly notes: FolderNotes;
}

/**
 * A copy of a large data folder. The folder is made once and kept; it is made again when the format of events changes, and
 * its views are brought up to date when the service changes.
 */
export async function cachedFolder(
  spec: FolderSpec,
  into: string,
  logs: string,
  progress: (line: string) => void,
): Promise<OpenedFolder> {
  const kept = await keptFolder(spec, logs, progress);
  const dataDir = join(into, 'data');
  // Where the file system can, a copy shares its blocks with the original until one of them changes.
  cpSync(join(kept, 'data'), dataDir, { recursive: true, mode: constants.COPYFILE_FICLONE });
  return { dataDir, notes: notesOf(kept) };
}

async function keptFolder(spec: FolderSpec, logs: string, progress: (line: string) => void): Promise<string> {
  const stem = [spec.name, spec.listed, spec.sold, spec.purchases].join('-');
  const folder = join(CACHE, `${stem}-${formatFingerprint()}`);
  const build = buildFingerprint();
  if (!existsSync(join(folder, NOTES)) || notesOf(folder).until < Date.now()) {
    progress(`making the data folder ${folder}`);
    mkdirSync(CACHE, { recursive: true });
    for (const old of readdirSync(CACHE)) {
      if (old.startsWith(`${stem}-`)) rmSync(join(CACHE, old), { recursive: true });
    }
    const making = `${folder}.${process.pid}`;
    mkdirSync(making);
    const notes = await makeFolder(join(making, 'data'), logs, spec, progress);
    writeFileSync(join(making, NOTES), JSON.stringify({ ...notes, build } satisfies FolderNotes));
    renameSync(making, folder);
  } else if (notesOf(folder).build !== build) {
    progress(`bringing the views of ${folder} up to date`);
    await bringUpToDate(join(folder, 'data'), logs);
    writeFileSync(join(folder, NOTES), JSON.stringify({ ...notesOf(folder), build } satisfies FolderNotes));
  }
  return folder;
}

function notesOf(folder: string): FolderNotes {
  return JSON.parse(readFileSync(join(folder, NOTES), 'utf8')) as FolderNotes;
}
