import { describe, expect, it } from '@jest/globals';
import { Map as PersistentMap } from 'immutable';
import { heldBytes } from './held-bytes.js';

const long = 'x'.repeat(1_000);

// `libs/platform/weights.spec.ts` measures whole states; these are the kinds of values in them.
describe('the bytes that a value holds', () => {
  it('are those of its texts, two for each letter of most alphabets', () => {
    expect(heldBytes(long)).toBe(1_016);
    expect(heldBytes('é'.repeat(1_000))).toBe(1_016);
    expect(heldBytes('券'.repeat(1_000))).toBe(2_016);
  });

  it('are none for what lies in a place itself, and for short texts, of which there is one each', () => {
    for (const value of [null, undefined, true, 7, -7, 'EUR']) expect(heldBytes(value)).toBe(0);
    expect(heldBytes(1_800_000_000_000)).toBeGreaterThan(0);
    expect(heldBytes(0.5)).toBeGreaterThan(0);
  });

  it.each<[string, unknown]>([
    ['an object', { a: { b: long } }],
    ['a list', [[long]]],
    ['a map', new Map([['key', long]])],
    ['a set', new Set([long])],
    ['a persistent map', PersistentMap([['key', { deep: long }]])],
    ['bytes', new Uint8Array(1_000)],
  ])('are those of all parts of %s', (_, value) => {
    expect(heldBytes(value)).toBeGreaterThan(1_000);
    expect(heldBytes(value)).toBeLessThan(1_400);
  });
});
