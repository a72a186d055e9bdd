import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { View } from '#kernel';

/** While a generation is built its file bears this ending, so that no reader ever opens a file without a journal. */
export const BUILDING = '.building';

const SQLITE_COMPANIONS = ['', '-wal', '-shm', '-journal'];

/** The files of one view and version: `<view>.v<version>.g<n>.db`, and `….db.building` for one that is being built. */
export class GenerationFiles {
  private readonly stem: string;

  constructor(
    private readonly folder: string,
    view: Pick<View, 'name' | 'version'>,
  ) {
    this.stem = `${view.name}.v${view.version}.g`;
  }

  /** The generations that were finished once, the newest first. */
  finished(): readonly string[] {
    return this.numbered('.db').map(({ path }) => path);
  }

  /** The generations that nobody finished. */
  building(): readonly string[] {
    return this.numbered(`.db${BUILDING}`).map(({ path }) => path);
  }

  /**
   * The path of a generation to come, without the ending of one that is being built. Its number follows every number in
   * the folder: where an open file cannot be deleted (Windows), a dropped generation may still lie there.
   */
  next(): string {
    const taken = [...this.numbered('.db'), ...this.numbered(`.db${BUILDING}`)].map(({ number }) => number);
    return join(this.folder, `${this.stem}${Math.max(0, ...taken) + 1}.db`);
  }

  private numbered(ending: string): readonly { readonly path: string; readonly number: number }[] {
    return readdirSync(this.folder)
      .filter((name) => name.startsWith(this.stem) && name.endsWith(ending))
      .map((name) => ({ name, digits: name.slice(this.stem.length, -ending.length) }))
      .filter(({ digits }) => /^\d+$/.test(digits))
      .map(({ name, digits }) => ({ path: join(this.folder, name), number: Number(digits) }))
      .sort((a, b) => b.number - a.number);
  }
}

/** Deletes a database with what SQLite keeps beside it. A file that another thread holds open on Windows stays. */
export function deleteDatabase(path: string): void {
  for (const companion of SQLITE_COMPANIONS) {
    try {
      rmSync(path + companion, { force: true });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'EBUSY' && code !== 'EPERM') throw error;
    }
  }
}
