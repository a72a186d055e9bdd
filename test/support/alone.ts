import { describe, expect, it } from '@jest/globals';
import { sharedEngines } from './cluster.js';

/** A `describe` whose services run on engines of their own; skipped when `npm run test:cluster` names shared ones. */
export const describeAlone: typeof describe.skip = sharedEngines() === undefined ? describe : describe.skip;

/** Whether a nightly spec loads the tests, or `npm run campaign:ownership`. */
export const isInFull: boolean =
  process.env['OWNERSHIP'] === 'all' || /\.nightly\.spec\.js$/.test(expect.getState().testPath ?? '');

const leftOut = Object.assign(() => undefined, { each: () => () => undefined }) as unknown as typeof it.skip;

/** A slow test beside a faster one of the same kind. CI leaves it out; `x.nightly.spec.ts` imports its spec, and so runs it. */
export const itInFull: typeof it.skip = isInFull ? it : leftOut;

/** Cases of a table that only such runs have. */
export function inFull<T>(...cases: readonly T[]): readonly T[] {
  return isInFull ? cases : [];
}

/** The cases of a table: all of them in such runs, otherwise the first. */
export function casesInFull<T>(first: T, ...others: readonly T[]): readonly T[] {
  return [first, ...inFull(...others)];
}
