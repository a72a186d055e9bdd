import { describe, it } from '@jest/globals';
import { sharedEngines } from './cluster.js';

/** A `describe` whose services stand on engines that it starts itself; skipped where `npm run test:cluster` names them. */
export const describeAlone = sharedEngines() === undefined ? describe : describe.skip;

const inFull = process.env['OWNERSHIP'] === 'all';

/** What takes long, and whose kind is shown by another test beside it: `npm run campaign:ownership` runs it too. */
export const itInFull = inFull ? it : it.skip;

/** The cases of a table: all of them in `npm run campaign:ownership`, else the first. */
export function casesInFull<T>(first: T, ...others: readonly T[]): readonly T[] {
  return inFull ? [first, ...others] : [first];
}
