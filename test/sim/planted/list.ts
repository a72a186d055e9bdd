import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defects } from './defects.js';
import type { Generated, ListedMutant } from './generate.js';
import type { Planted } from './replacement.js';
import { ROOT } from './targets.js';

/**
 * `mutants.json`: the list of mutants, and what it was made of. New sources give no new list. If a change takes the text of a
 * mutant away, its replacement is edited so that the same fault has a place again, and `moved` says why.
 */
export interface MutantList extends Generated {
  /** How many mutants the sources gave. */
  readonly generated: number;
}

export function mutantList(): MutantList {
  return json('mutants.json') as MutantList;
}

/** `drawn.json`: the ids of the mutants to be found. */
export function drawnIds(): readonly string[] {
  return json('drawn.json') as readonly string[];
}

export function drawnMutants(): readonly ListedMutant[] {
  const ids = new Set(drawnIds());
  return mutantList().mutants.filter(({ id }) => ids.has(id));
}

/** A drawn mutant that changes nothing that anybody could see, and why. */
export interface WithoutEffect {
  readonly id: string;
  readonly proof: string;
}

/** `without-effect.json`: the drawn mutants that nobody can find. */
export function withoutEffect(): readonly WithoutEffect[] {
  return json('without-effect.json') as readonly WithoutEffect[];
}

/** The ids of the drawn mutants that must be found. */
export function idsToFind(): readonly string[] {
  const without = new Set(withoutEffect().map(({ id }) => id));
  return drawnIds().filter((id) => !without.has(id));
}

/**
 * A mutant of the list, or one of the old defects.
 * @throws Error if there is none with this id
 */
export function planted(id: string): Planted {
  const found = [...defects(), ...mutantList().mutants].find((each) => each.id === id);
  if (found === undefined) throw new Error(`there is no mutant and no defect ${id}`);
  return found;
}

function json(name: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, 'test/sim/planted', name), 'utf8'));
}
