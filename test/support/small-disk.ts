import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from './temp-folder.js';

const CHUNK = Buffer.alloc(4_096);

/** A disk of a few megabytes that a test can fill and empty; it needs root on Linux. */
export class SmallDisk {
  private constructor(private readonly folder: ReturnType<typeof tempFolder>) {}

  /** undefined, with words on stderr, when no disk can be mounted. */
  static mount(megabytes: number): SmallDisk | undefined {
    const folder = tempFolder();
    const mounted = spawnSync('mount', [
      '-t',
      'tmpfs',
      '-o',
      `mode=0700,size=${megabytes * 1024}k`,
      'tmpfs',
      folder.path,
    ]);
    if (mounted.status === 0) return new SmallDisk(folder);
    folder.remove();
    process.stderr.write('\nNOT TESTED HERE: a full disk (this machine cannot mount a tmpfs)\n\n');
    return undefined;
  }

  get path(): string {
    return this.folder.path;
  }

  /** Takes all room except for this many bytes. */
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

  /** Gives the room back. */
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
