import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Snapshot, SnapshotName, SnapshotStore } from '#eventsourcing/ports';
import { fromFile, toFile } from './snapshot-file.js';

const ENDING = '.snapshot';
/** The ending of a file that is being written. */
const UNFINISHED = '.new';
/** Bytes that a snapshot leaves free on the disk, because the log needs them more. */
const LEFT_FREE = 64 * 1024 * 1024;
/** The most bytes of a snapshot. A larger file is none of ours. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Snapshots as files of a folder, one each: `<hash of the stream>.<digest>.snapshot`. They are read and written by Node’s own
 * threads. A file gets its name when all of it is written, without a sync: after a power cut the checksum shows whether it is whole.
 */
export class EmbeddedSnapshotStore implements SnapshotStore {
  /** @param folder is made with the first snapshot, and may be deleted at any time */
  constructor(private readonly folder: string) {}

  async get(name: SnapshotName): Promise<Snapshot | undefined> {
    const snapshot = await this.#read(fileOf(name));
    return snapshot?.stream === name.stream && snapshot.digest === name.digest ? snapshot : undefined;
  }

  async put(snapshot: Snapshot): Promise<void> {
    const file = join(this.folder, fileOf(snapshot));
    const beside = file + UNFINISHED;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await this.#assertRoom(snapshot);
    try {
      const handle = await open(beside, 'w', 0o600);
      try {
        for (const bytes of toFile(snapshot)) await handle.writeFile(bytes);
      } finally {
        await handle.close();
      }
      await rename(beside, file);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
  }

  async delete(name: SnapshotName): Promise<void> {
    await rm(join(this.folder, fileOf(name)), { force: true });
  }

  /** Files that no snapshot can be read from are removed. */
  async others(digests: ReadonlySet<string>, max: number): Promise<readonly SnapshotName[]> {
    const found: SnapshotName[] = [];
    for (const file of await this.#files()) {
      if (found.length >= max) break;
      const [, digest = '', ending] = file.split('.');
      if (digests.has(digest)) continue;
      const snapshot = `.${ending ?? ''}` === ENDING && file.endsWith(ENDING) ? await this.#read(file) : undefined;
      if (snapshot !== undefined && fileOf(snapshot) === file) found.push(snapshot);
      else await rm(join(this.folder, file), { force: true });
    }
    return found.map(({ stream, digest }) => ({ stream, digest }));
  }

  /** @throws Error if the disk would have little room left */
  async #assertRoom({ parts }: Snapshot): Promise<void> {
    const { bavail, bsize } = await statfs(this.folder);
    const bytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (bavail * bsize < bytes + LEFT_FREE) throw new Error(`the disk of ${this.folder} has little room left`);
  }

  async #files(): Promise<readonly string[]> {
    return unlessMissing(readdir(this.folder), []);
  }

  async #read(file: string): Promise<Snapshot | undefined> {
    const path = join(this.folder, file);
    const handle = await unlessMissing(open(path, constants.O_RDONLY | constants.O_NONBLOCK), undefined);
    if (handle === undefined) return undefined;
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > MOST_BYTES) return undefined;
      const bytes = Buffer.allocUnsafeSlow(stats.size);
      const { bytesRead } = await handle.read(bytes);
      return fromFile(bytes.subarray(0, bytesRead));
    } finally {
      await handle.close();
    }
  }
}

function fileOf({ stream, digest }: SnapshotName): string {
  return `${createHash('sha256').update(stream).digest('hex').slice(0, 32)}.${digest}${ENDING}`;
}

/** What a call finds, or this if its file or folder does not exist. */
async function unlessMissing<T, U>(call: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await call;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  }
}
