import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutantsOf, type Mutant } from './mutate.js';
import type { Planted } from './replacement.js';
import { targets, type Area } from './targets.js';

/** A mutant in the list. */
export type ListedMutant = Mutant & {
  /** Of its file. */
  readonly area: Area;
  /** Why its texts are not those that were generated: the source has changed, and the same fault has another place. */
  readonly moved?: string;
};

/** All mutants of a tree, and the hashes of the sources that they were made of. */
export interface Generated {
  /** The SHA-256 of each source text. */
  readonly sources: Readonly<Record<string, string>>;
  readonly mutants: readonly ListedMutant[];
}

/** @param root the root of the tree */
export function generate(root: string): Generated {
  const sources: Record<string, string> = {};
  const mutants: ListedMutant[] = [];
  for (const [file, area] of targets(root)) {
    const text = readFileSync(join(root, file), 'utf8');
    sources[file] = createHash('sha256').update(text).digest('hex');
    mutants.push(...mutantsOf(file, text).map((mutant) => ({ ...mutant, area })));
  }
  return { sources, mutants };
}

/** The file of a mutant. */
export function fileOf({ replacements }: Planted): string {
  const [only] = replacements;
  if (only === undefined) throw new Error('a fault without a replacement');
  return only.file;
}
