import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from './temp-folder.js';

const CHUNK = Buffer.alloc(4_096);

/** A disk of a few megabytes that can be filled and emptied; it takes a root user on Linux. */
export class SmallDisk {
  private constructor(private readonly folder: ReturnType<typeof tempFolder>) {}

  /** undefined, with words on stderr, where no disk can be mounted. */
  static mount(megabytes: number): SmallDisk | undefined {
    const folder = tempFolder();
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder.path]);
    if (mounted.status === 0) return new SmallDisk(folder);
    folder.remove();
    process.stderr.write('\nNOT PROVED HERE: what happens on a disk that is full (no tmpfs can be mounted)\n\n');
    return undefined;
  }

  get path(): string {
    return this.folder.path;
  }

  /** Takes all room that there is, but for so many bytes. */
  fill(left = 0): void {
    const file = openSync(this.#filler, 'w');
    try {
      while (this.#room > left || left === 0) writeSync(file, CHUNK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Gives back what was taken. */
  empty(): void {
    rmSync(this.#filler, { force: true });
  }

  unmount(): void {
    spawnSync('umount', ['-l', this.folder.path]);
    this.folder.remove();
  }

  get #room(): number {
    const { bavail, bsize } = statfsSync(this.folder.path);
    return bavail * bsize;
  }

  get #filler(): string {
    return join(this.folder.path, 'filler');
  }
}
