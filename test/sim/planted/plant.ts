import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { planted } from './list.js';
import { replaced, type Planted } from './replacement.js';
import { ROOT } from './targets.js';
import { transpile } from './transpile.js';

/** What a copy of the build leaves out: the bundle would hide the change, the rest is not needed. */
const LEFT_OUT = /^(?:bundle|\.compile-cache|.*\.map|.*\.tsbuildinfo|.*test-results\.json)$/;

/** What a copy of the tree leaves out. */
const NOT_LINKED = new Set(['dist', '.git', 'data', 'package.json']);

/**
 * The source texts with a fault planted.
 * @returns the text of each changed file
 * @throws Error if the sources have changed so that the fault needs a new place
 */
export function plantedSources({ replacements }: Planted): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  for (const replacement of replacements) {
    const { file } = replacement;
    sources.set(file, replaced(sources.get(file) ?? readFileSync(join(ROOT, file), 'utf8'), replacement));
  }
  return sources;
}

/**
 * Makes a copy of the compiled tree with a fault planted. `node dist/…` runs in it as in the tree itself.
 * @param folder a new or empty folder
 * @throws Error if the folder has files
 */
export function plantIn(folder: string, fault: Planted): void {
  const sources = plantedSources(fault);
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
  for (const name of readdirSync(ROOT)) if (!NOT_LINKED.has(name)) symlinkSync(join(ROOT, name), join(folder, name));
  // Node looks for `dist` beside the real file.
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), {
    recursive: true,
    filter: (path) => !LEFT_OUT.test(basename(path)),
  });
  for (const [file, text] of sources) {
    writeFileSync(join(folder, 'dist', file.replace(/\.ts$/, '.js')), transpile(file, text));
  }
}

/**
 * Runs something on a copy of the compiled tree with a fault planted, and removes the copy afterwards.
 * @param id of a mutant of the list, or of an old defect
 * @param run gets the folder of the copy, which has `dist` in it
 */
export async function withPlanted<T>(id: string, run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-planted-'));
  try {
    plantIn(folder, planted(id));
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
