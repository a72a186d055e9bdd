import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Counts } from './counts.js';

const changes = fc.array(fc.tuple(fc.nat(400), fc.constantFrom(1, 2, 9, -1, -5)), { maxLength: 1_500 });

/** The changes that leave no number below 0, applied one after another. */
function applied(
  list: readonly (readonly [number, number])[],
): { readonly counts: Counts; readonly numbers: ReadonlyMap<string, number> }[] {
  const versions: { readonly counts: Counts; readonly numbers: ReadonlyMap<string, number> }[] = [
    { counts: Counts.none, numbers: new Map() },
  ];
  for (const [which, difference] of list) {
    const { counts, numbers } = versions.at(-1) as (typeof versions)[number];
    const id = `user-${which}`;
    const after = (numbers.get(id) ?? 0) + difference;
    if (after < 0) continue;
    versions.push({ counts: counts.plus(id, difference), numbers: new Map(numbers).set(id, after) });
  }
  return versions;
}

describe('a table of counts', () => {
  it('counts as a map does, in each version of it', () => {
    fc.assert(
      fc.property(changes, (list) => {
        const versions = applied(list);
        for (const { counts, numbers } of versions.filter((_, at) => at % 97 === 0 || at === versions.length - 1)) {
          for (let which = 0; which <= 400; which += 1) {
            expect(counts.get(`user-${which}`)).toBe(numbers.get(`user-${which}`) ?? 0);
          }
          expect(counts.size).toBe([...numbers.values()].filter((each) => each > 0).length);
        }
      }),
      { seed: 1, numRuns: 30 },
    );
  });

  it('is the same however its numbers came about, also from its parts', () => {
    fc.assert(
      fc.property(changes, (list) => {
        const { counts, numbers } = applied(list).at(-1) as ReturnType<typeof applied>[number];
        const present = [...numbers].filter(([, each]) => each > 0).reverse();
        const direct = present.reduce((table, [id, each]) => table.plus(id, each), Counts.none);
        expect(direct).toEqual(counts);
        expect([...Counts.from(counts.parts()).parts()]).toEqual([...counts.parts()]);
      }),
      { seed: 1, numRuns: 60 },
    );
  });

  it('goes on from its parts as without them, and then weighs the same', () => {
    fc.assert(
      fc.property(changes, fc.nat(1_500), (list, at) => {
        const versions = applied(list);
        const { counts } = versions.at(-1) as (typeof versions)[number];
        const before = versions[Math.min(at, versions.length - 1)] as (typeof versions)[number];
        let after = Counts.from(before.counts.parts());
        for (let which = 0; which <= 400; which += 1) {
          const id = `user-${which}`;
          expect(after.get(id)).toBe(before.numbers.get(id) ?? 0);
          const open = after.plus(id, 7);
          expect([open.get(id), after.get(id)]).toEqual([
            (before.numbers.get(id) ?? 0) + 7,
            before.numbers.get(id) ?? 0,
          ]);
          after = open.plus(id, -7).plus(id, counts.get(id) - before.counts.get(id));
        }
        // Every run has been opened on the way.
        expect(after).toEqual(counts);
        expect(after.bytes).toBe(counts.bytes);
      }),
      { seed: 1, numRuns: 30 },
    );
  });

  it('made of parts takes the bytes of these, and of what changed since', () => {
    let counts = Counts.none;
    for (let at = 0; at < 50_000; at += 1) counts = counts.plus(`user-${at}`, 1);
    const restored = Counts.from(counts.parts());
    expect(restored.bytes).toBeLessThan(50_000 * 16 + 1_000);
    expect(restored.plus('user-1', 1).bytes - restored.bytes).toBeGreaterThan(500);
    expect(restored.plus('user-1', 1).bytes - restored.bytes).toBeLessThan(1_500);
  });

  it('becomes empty again', () => {
    const ids = Array.from({ length: 1_000 }, (_, at) => `id-${at}`);
    const full = ids.reduce((table, id) => table.plus(id, 3), Counts.none);
    expect(full.size).toBe(1_000);
    expect(ids.reduce((table, id) => table.plus(id, -3), full)).toEqual(Counts.none);
    expect(Counts.none.get('id-1')).toBe(0);
  });

  it('takes 16 to 20 bytes for each id, and goes in parts of at most 128 KiB', () => {
    let counts = Counts.none;
    for (let at = 0; at < 50_000; at += 1) counts = counts.plus(`user-${at}`, 1);
    expect(counts.bytes / 50_000).toBeGreaterThan(16);
    expect(counts.bytes / 50_000).toBeLessThan(20);
    const parts = [...counts.parts()];
    expect(parts.length).toBeGreaterThan(5);
    expect(Math.max(...parts.map(({ byteLength }) => byteLength))).toBeLessThanOrEqual(131_072);
    expect([...Counts.from(parts).parts()]).toEqual(parts);
  });

  it.each([0.5, NaN, Infinity, -Infinity, 2 ** 53])('D1: refuses a change by %d by name', (difference) => {
    expect(() => Counts.none.plus('a', difference)).toThrow('the amount of a change of a count must be a whole number');
  });

  it.each<[string, readonly number[], string]>([
    ['half an entry', [1], 'what the last entry of a table of counts lacks'],
    ['a hash that is not whole', [0.5, 1], 'the low part of a hash'],
    ['a negative hash', [-1, 1], 'the low part of a hash'],
    ['a huge hash', [2 ** 52, 1], 'the low part of a hash'],
    ['a huge second part', [1, 2 ** 52 + 1], 'the high part of a hash'],
    ['a count of 0', [1, 2 ** 32], 'what a count is above 1'],
    ['a count that is not whole', [1, 1.5], 'what a count is above 1'],
    ['a count that is no number', [1, NaN], 'the high part of a hash'],
    ['one hash twice', [1, 1, 1, 2], 'in the order of their hashes'],
    ['another order', [2, 1, 1, 1], 'in the order of their hashes'],
  ])('D1: is not made of a part with %s', (_, part, message) => {
    expect(() => Counts.from([Float64Array.from(part)])).toThrow(message);
  });

  it.each([
    [-1, 0],
    [2 ** 32 - 1, 2 ** 32 - 1],
    [2 ** 32, 2 ** 32 - 1],
  ])('never throws: %d from nothing is %d', (difference, count) => {
    expect(Counts.none.plus('a', difference).get('a')).toBe(count);
  });
});
