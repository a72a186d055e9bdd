import { describe, expect, it } from '@jest/globals';
import { RecentIds, type RecentIdsPart } from './recent-ids.js';

function closed(count: number): RecentIds {
  let ids = RecentIds.none;
  for (let at = 0; at < count; at += 1) ids = ids.with(`id-${at}`);
  return ids;
}

describe('the ids of the last closings', () => {
  it.each([0, 1, 2_047, 2_048, 4_095, 4_096, 4_097, 10_000])('are all known from `since` on, after %d', (count) => {
    const ids = closed(count);
    expect(ids.closings).toBe(count);
    expect(count - ids.since).toBeGreaterThanOrEqual(Math.min(count, 2_048));
    expect(count - ids.since).toBeLessThanOrEqual(4_096);
    for (let at = 0; at <= count; at += 1) {
      expect([at, ids.has(`id-${at}`)]).toEqual([at, at >= ids.since && at < count]);
    }
  });

  it('are no others in an older version', () => {
    const before = closed(2_047);
    const after = before.with('last').with('one more');
    expect([before.has('last'), before.closings]).toEqual([false, 2_047]);
    expect([after.has('last'), after.has('one more'), after.has('id-0')]).toEqual([true, true, true]);
  });

  it('are the same from their part', () => {
    const ids = closed(3_000);
    expect(RecentIds.from(ids.part()).part()).toEqual(ids.part());
    expect(RecentIds.from(ids.part()).with('a').part()).toEqual(ids.with('a').part());
  });

  it.each<[string, Partial<RecentIdsPart>, string]>([
    ['a negative number of closings', { closings: -1, since: -1 }, 'the number of closings'],
    ['a fractional one', { closings: 2_999.5 }, 'the number of closings'],
    ['a first closing that has not come yet', { since: 3_001 }, 'the first closing that is known'],
    ['more closings than it knows', { since: 0, closings: 4_096 }, 'the number of closings that are known'],
    ['fewer closings than ids', { since: 2_048 }, 'the number of ids of closings'],
  ])('D2: are not made of a part with %s', (_, change, message) => {
    const part = closed(3_000).part();
    expect(RecentIds.from(part).closings).toBe(3_000);
    expect(() => RecentIds.from({ ...part, ...change })).toThrow(message);
  });

  it('count a second closing of one id', () => {
    expect(closed(1).with('id-0').closings).toBe(2);
  });

  it('take at most 80 KiB', () => {
    expect(closed(4_095).bytes).toBeLessThan(80 * 1_024);
  });
});
