import { describe, it } from '@jest/globals';
import { sharedEngines } from './cluster.js';

/** A `describe` whose services run on engines of their own; skipped when `npm run test:cluster` names shared ones. */
export const describeAlone: typeof describe.skip = sharedEngines() === undefined ? describe : describe.skip;

const inFull = process.env['OWNERSHIP'] === 'all';

/** A slow test beside a faster one of the same kind; `npm run campaign:ownership` runs it too. */
export const itInFull: typeof it.skip = inFull ? it : it.skip;

/** The cases of a table: all of them in `npm run campaign:ownership`, otherwise the first. */
export function casesInFull<T>(first: T, ...others: readonly T[]): readonly T[] {
  return inFull ? [first, ...others] : [first];
}
