import { basename, join } from 'node:path';
import { fateOf, type Fate } from './fate.js';
import type { File, Meaning, Operation, Recording } from './operations.js';
import { Pages } from './pages.js';
import type { Seeded } from '../core/seeded.js';

/** What a disk holds: files by path, and the folders. */
export interface Image {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly folders: readonly string[];
  /** What became of the unsynced operations, for people. */
  readonly story: readonly string[];
}

/** The unit that a disk writes as a whole, in bytes. */
export const SECTOR = 512;

/**
 * What a disk may hold after the power was cut. The model is that of a POSIX system without any further promise, as far as
 * file systems in use go:
 *
 * - What was written to a file, or its size, before a sync of that file began that has returned: it is there (fsync(2),
 *   fdatasync(2): "flushes all data and metadata needed to read it back").
 * - What was written since is there or not, sector by sector and in any order: the system writes pages back when it likes, and a
 *   disk reorders what is in its cache. A sector is written as a whole (SQLite's "powersafe overwrite", which it assumes by
 *   default too: https://sqlite.org/psow.html), so no sector mixes old and new. Bytes that share a sector with a later write
 *   that is there are there too: the page cache has only one version of them.
 * - A file that grew may have its new size without its new content, which then reads as zeros (ext4, with a block that is
 *   mapped already, and XFS; "delayed allocation" in the kernel's documentation of ext4). Garbage from earlier files, as ext4
 *   shows with data=writeback, is not assumed.
 * - Changes of a file's size happen in order: they are in one journal. So what was written behind the end that a lost truncation
 *   had given the file is lost with it.
 * - Names of a folder that was not synced since are there or not, each change alone and in any order, whatever was synced of the
 *   files that they name: "calling fsync() does not necessarily ensure that the entry in the directory containing the file has
 *   also reached disk" (fsync(2)). A renaming happens as a whole. ext4 keeps more; btrfs does reorder them (Pillai et al., All
 *   File Systems Are Not Created Equal, OSDI 2014).
 * - Indexes of WALs (`-shm`) are gone: nobody syncs them, and the first connection makes them anew.
 *
 * @param at the place of the cut: operations that began later did not happen
 */
export function crash(recording: Recording, at: number, random: Seeded): Image {
  const before = recording.operations.filter(({ began }) => began < at);
  const story: string[] = [];
  const meanings = namesAfter(recording, before, at, random, story);
  const files = new Map<string, Buffer>();
  const folders: string[] = [];
  for (const [path, meaning] of meanings) {
    if (meaning === 'folder') folders.push(path);
  }
  const content = new Map<File, Buffer>();
  for (const [path, meaning] of meanings) {
    if (typeof meaning !== 'number') continue;
    // A name in a folder that is not there is not there either.
    if (![recording.root, ...folders].includes(path.slice(0, path.lastIndexOf('/')))) continue;
    let bytes = content.get(meaning);
    if (bytes === undefined) {
      bytes = contentAfter(meaning, path, before, at, random, story);
      content.set(meaning, bytes);
    }
    files.set(path, bytes);
  }
  return { files, folders, story };
}

/** Whether a sync that has returned by `at` covers the operation. */
function isDurable(operation: Operation, synced: number): boolean {
  return operation.returned < synced;
}

/** When the last sync began that had returned by `at`. */
function lastSync(syncs: readonly Operation[], at: number): number {
  return Math.max(-1, ...syncs.filter(({ returned }) => returned < at).map(({ began }) => began));
}

function namesAfter(
  { root }: Recording,
  before: readonly Operation[],
  at: number,
  random: Seeded,
  story: string[],
): ReadonlyMap<string, Meaning> {
  const meanings = new Map<string, Meaning>();
  const changes = before.filter((each) => each.kind === 'names');
  for (const folder of [...new Set([root, ...changes.map((each) => each.folder)])].sort()) {
    const syncs = before.filter((each) => each.kind === 'sync' && each.file === undefined && each.folder === folder);
    const synced = lastSync(syncs, at);
    const own = changes.filter((each) => each.folder === folder);
    const open = own.filter((each) => !isDurable(each, synced));
    const fate = fateOf(open.length, random.of(folder === root ? '' : basename(folder)));
    if (open.length > 0) story.push(`${folder}: of ${open.length} changed names ${fate.words}`);
    for (const each of own) {
      const index = open.indexOf(each);
      if (index >= 0 && !fate.keeps(index, 0, 1)) continue;
      for (const [name, meaning] of each.changes) meanings.set(join(folder, name), meaning);
    }
  }
  return meanings;
}

function contentAfter(
  file: File,
  path: string,
  before: readonly Operation[],
  at: number,
  random: Seeded,
  story: string[],
): Buffer {
  const own = before.filter((each) => 'file' in each && each.file === file);
  const synced = lastSync(
    own.filter(({ kind }) => kind === 'sync'),
    at,
  );
  const changes = own.filter((each) => each.kind === 'write' || each.kind === 'resize');
  const memory = new Pages();
  for (const each of changes) if (isDurable(each, synced)) apply(each, memory);
  const open = changes.filter((each) => !isDurable(each, synced));
  if (open.length === 0) return memory.bytes();
  const its = random.of(basename(path));
  const fate = fateOf(open.length, its);
  story.push(`${path}: of ${open.length} unsynced writes ${fate.words}`);
  return writtenBack(open, memory, fate, its);
}

type Change = Extract<Operation, { kind: 'write' | 'resize' }>;

function apply(change: Change, content: Pages): void {
  if (change.kind === 'write') content.write(change.at, change.data);
  else content.resize(change.size);
}

/** @param memory what was synced; it changes */
function writtenBack(open: readonly Change[], memory: Pages, fate: Fate, random: Seeded): Buffer {
  const disk = memory.copy();
  /** Nothing behind this place reaches the disk: the truncation to it is lost. */
  let end = Infinity;
  for (const [index, change] of open.entries()) {
    apply(change, memory);
    if (change.kind === 'resize') {
      if (end === Infinity && fate.keeps(index, 0, 1)) disk.resize(change.size);
      else end = Math.min(end, change.size);
      continue;
    }
    const first = Math.floor(change.at / SECTOR);
    const sectors = Math.ceil((change.at + change.data.length) / SECTOR) - first;
    for (let sector = 0; sector < sectors; sector += 1) {
      const from = (first + sector) * SECTOR;
      if (from + SECTOR > end || !fate.keeps(index, sector, sectors)) continue;
      // The whole sector as it is in memory.
      disk.write(from, memory.slice(from, from + SECTOR));
    }
  }
  if (end === Infinity && memory.size > disk.size && random.chance(0.2)) disk.resize(memory.size);
  return disk.bytes();
}
