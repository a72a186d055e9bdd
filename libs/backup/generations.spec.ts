import { describe, expect, it } from '@jest/globals';
import { DAY } from '#kernel';
import { generationsIn, keptOf } from './generations.js';

/** A copy for each of so many days up to 2026-11-28, a Saturday, the oldest first. */
const daily = (days: number) =>
  Array.from({ length: days }, (_, nth) => ({ at: Date.parse('2026-11-28T03:00:00Z') - (days - 1 - nth) * DAY }));
const days = (copies: readonly { readonly at: number }[]): readonly string[] =>
  copies.map(({ at }) => new Date(at).toISOString().slice(0, 10));

describe('G12.2: the copies that --keep leaves', () => {
  it('are the newest of the last days, weeks and months', () => {
    expect(days(keptOf(daily(120), { days: 3, weeks: 2, months: 4 }))).toEqual([
      '2026-08-31',
      '2026-09-30',
      '2026-10-31',
      '2026-11-22',
      '2026-11-26',
      '2026-11-27',
      '2026-11-28',
    ]);
  });

  it('always have the newest one, and never more than were asked for', () => {
    expect(days(keptOf(daily(30), { days: 0, weeks: 0, months: 1 }))).toEqual(['2026-11-28']);
    expect(keptOf(daily(3), { days: 7, weeks: 4, months: 12 })).toHaveLength(3);
    expect(keptOf([], { days: 1, weeks: 0, months: 0 })).toEqual([]);
  });

  it('of several on one day are the last one', () => {
    const [first = { at: 0 }] = daily(1);
    const copies = [first, { at: first.at + 1_000 }, { at: first.at + 2_000 }];
    expect(keptOf(copies, { days: 2, weeks: 0, months: 0 })).toEqual([copies[2]]);
  });
});

describe('G12.2: --keep', () => {
  it('says how many of each', () => {
    expect(generationsIn('7d,4w,12m')).toEqual({ days: 7, weeks: 4, months: 12 });
    expect(generationsIn('1m')).toEqual({ days: 0, weeks: 0, months: 1 });
  });

  it.each(['', '7', 'd', '7d,7d', '0d', '0d,0w', '1001d', '7d 4w', '-1d', '7y', '7d,'])(
    '%j is refused, with an example',
    (text) => {
      expect(() => generationsIn(text)).toThrow('--keep must say how many');
    },
  );
});
