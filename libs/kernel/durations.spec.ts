import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addedCounts, Durations, quantileOf } from '#kernel';

const noted = (...all: readonly number[]): Durations => {
  const durations = new Durations();
  for (const each of all) durations.note(each);
  return durations;
};
const sparse = (durations: Durations): readonly number[] => durations.since(Durations.none());

describe('durations', () => {
  it('know a quantile to a fifth, and never less than it was', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.07, max: 100_000, noNaN: true }), { minLength: 1, maxLength: 200 }),
        fc.constantFrom(0.5, 0.9, 0.99, 1),
        (all, part) => {
          const sorted = [...all].sort((a, b) => a - b);
          const exact = sorted[Math.max(1, Math.ceil(all.length * part)) - 1] ?? 0;
          const found = quantileOf(sparse(noted(...all)), part) ?? 0;
          expect(found).toBeGreaterThanOrEqual(exact * 0.995);
          expect(found).toBeLessThanOrEqual(exact * 1.2);
        },
      ),
    );
  });

  it('of several processes are added, and their quantile is that of all', () => {
    const fast = noted(...Array.from({ length: 99 }, () => 1));
    const slow = noted(1_000);
    const all = addedCounts([sparse(fast), sparse(slow)]);
    expect([quantileOf(all, 0.99), quantileOf(all, 1)]).toEqual([1, quantileOf(sparse(slow), 1)]);
    expect(addedCounts([])).toEqual([]);
  });

  it('say what came since the last look, and nothing twice', () => {
    const durations = noted(1, 1, 50);
    const before = Durations.none();
    expect(quantileOf(durations.since(before), 0.5)).toBe(1);
    expect(durations.since(before)).toEqual([]);
    durations.note(8);
    expect(quantileOf(durations.since(before), 1)).toBe(8);
    expect(quantileOf([], 0.5)).toBeNull();
  });

  it('count exactly at each doubling, whatever is beyond the bounds', () => {
    const durations = noted(0, 1, 1.01, 2, 10_000_000);
    expect([1, 2].map((bound) => durations.within(bound))).toEqual([2, 4]);
    expect([durations.count, durations.sum]).toEqual([5, 10_000_004.01]);
    expect(Durations.doublings).toContain(1);
    expect(durations.within(Durations.doublings.at(-1) ?? 0)).toBe(4);
  });
});
