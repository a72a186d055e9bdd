import { describe, expect, it } from '@jest/globals';
import { HottestDeals, MOST_HOT } from './hottest-deals.js';

describe('G11.1: the deals that sell most', () => {
  it('are at most 20, the hottest first, whatever else sells', () => {
    const hottest = new HottestDeals();
    for (let second = 0; second < 30; second += 1) {
      for (let nth = 0; nth < 3_000; nth += 1) hottest.sold(`deal-${nth}`, nth < 10 ? 100 - nth : 1, 1_000);
      hottest.tick();
    }
    const { now } = hottest;
    expect(now).toHaveLength(MOST_HOT);
    expect(now.slice(0, 10).map(({ deal }) => deal)).toEqual(Array.from({ length: 10 }, (_, nth) => `deal-${nth}`));
    expect(now[0]?.soldPerSecond).toBeGreaterThan(90);
  });

  it('are forgotten when they sell no more, and say how many units are left', () => {
    const hottest = new HottestDeals();
    hottest.sold('lunch', 5, 7);
    hottest.sold('spa', 1, null);
    hottest.tick();
    expect(hottest.now).toEqual([
      { deal: 'lunch', soldPerSecond: 0.5, left: 7 },
      { deal: 'spa', soldPerSecond: 0.1, left: null },
    ]);
    for (let second = 0; second < 100; second += 1) hottest.tick();
    expect(hottest.now).toEqual([]);
  });
});
