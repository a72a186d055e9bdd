import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './targets.js';

/** The table of all planted faults: docs/simulation.md names the command that makes it. */
export const FOUND = join(ROOT, 'test/sim/planted/found.json');

/** How a planted fault was found. */
export interface Found {
  readonly id: string;
  /** The fault in plain words. */
  readonly what: string;
  /** The form of the worlds; null if each seed chose. */
  readonly form: string | null;
  /** Operations of each world. */
  readonly commands: number;
  /** How many seeds it took, from 1 on; null if none failed. */
  readonly seeds: number | null;
  /** What failed, in the words of the check. */
  readonly words: string;
}

/** The entries of a file. */
export function foundIn(file: string): readonly Found[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly Found[];
}

/** Puts an entry into a file of them, in the place of an earlier one about the same fault. */
export function noteFound(file: string, found: Found): void {
  const before = existsSync(file) ? foundIn(file) : [];
  const all = [...before.filter(({ id }) => id !== found.id), found];
  all.sort((a, b) => (a.id < b.id ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
}
