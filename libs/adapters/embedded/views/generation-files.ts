import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { View } from '#kernel';
import { obsoleteVersions } from '#eventsourcing/ports';
import { readGenerationNumbers, writeGenerationNumbers } from './generation-numbers.js';

/** The ending of a generation's file during its build, so that no reader ever opens a file without a journal. */
export const BUILDING = '.building';

const SQLITE_COMPANIONS = ['', '-wal', '-shm', '-journal'];

/**
 * The files of one view and version: `<view>.v<version>.g<n>.db`, `….db.building` during a build, and
 * `<view>.v<version>.live`, which names the live one.
 */
export class GenerationFiles {
  private readonly stem: string;
  private readonly standing: string;

  constructor(
    private readonly folder: string,
    private readonly view: Pick<View, 'name' | 'version'>,
  ) {
    this.stem = `${view.name}.v${view.version}.g`;
    this.standing = join(folder, `${view.name}.v${view.version}.live`);
  }

  /** The file of a finished generation. */
  path(number: number): string {
    return join(this.folder, `${this.stem}${number}.db`);
  }

  /** The generations that were finished once, the oldest first. */
  finished(): readonly number[] {
    return this.numbered('.db');
  }

  /** The generations that nobody finished, the oldest first. */
  building(): readonly number[] {
    return this.numbered(`.db${BUILDING}`);
  }

  /** The live generation. Without its `.live` file, the newest finished one. */
  live(): number | undefined {
    const standing = readGenerationNumbers(this.standing);
    return standing === undefined ? this.finished().at(-1) : (standing.live ?? undefined);
  }

  /** Makes a generation the live one, or none. */
  setLive(number: number | undefined): void {
    writeGenerationNumbers(this.standing, { live: number ?? null, last: this.last() });
  }

  /** Deletes the files of versions that no build needs any more. */
  deleteObsolete(): void {
    const { name, version } = this.view;
    const found = readdirSync(this.folder).map((file) => ({ file, of: versionIn(file, name) }));
    const obsolete = obsoleteVersions(
      found.flatMap(({ of }) => of ?? []),
      version,
    );
    for (const { file, of } of found) {
      if (of !== undefined && obsolete.includes(of)) deleteFile(join(this.folder, file));
    }
  }

  /** Takes a number that no generation has had. */
  take(): number {
    const last = this.last() + 1;
    writeGenerationNumbers(this.standing, { live: this.live() ?? null, last });
    return last;
  }

  /**
   * The files count beside the `.live` file, which may be lost: an open file cannot be deleted on Windows and may still
   * exist.
   */
  private last(): number {
    return Math.max(0, readGenerationNumbers(this.standing)?.last ?? 0, ...this.finished(), ...this.building());
  }

  private numbered(ending: string): readonly number[] {
    return readdirSync(this.folder)
      .filter((name) => name.startsWith(this.stem) && name.endsWith(ending))
      .map((name) => name.slice(this.stem.length, -ending.length))
      .filter((digits) => /^\d+$/.test(digits))
      .map(Number)
      .sort((a, b) => a - b);
  }
}

/** The version of a view that a file of this folder belongs to; undefined for a file of anything else. */
function versionIn(file: string, view: string): number | undefined {
  const digits = file.startsWith(`${view}.v`) ? /^(\d+)\.(?:live$|g\d+\.db)/.exec(file.slice(view.length + 2)) : null;
  return digits?.[1] === undefined ? undefined : Number(digits[1]);
}

/** Deletes a database and SQLite's files beside it. On Windows a file that another thread has open stays. */
export function deleteDatabase(path: string): void {
  for (const companion of SQLITE_COMPANIONS) deleteFile(path + companion);
}

function deleteFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EBUSY' && code !== 'EPERM') throw error;
  }
}
