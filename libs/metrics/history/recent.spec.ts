import { describe, expect, it } from '@jest/globals';
import { Recent } from './recent.js';
import type { Sample } from './sample.js';

const sample = (at: number): Sample => ({ at, rates: [at % 2], gauges: [], timed: [], refusals: {} });

describe('G11.5: what a process remembers', () => {
  it('has an end: an hour by the second and a day by the minute, stored or not', () => {
    const recent = new Recent();
    for (let at = 0; at < 30 * 3_600; at += 1) recent.add(sample(at));
    expect(recent.since('hour', 0).length).toBeLessThanOrEqual(3_600 + 60 + 1);
    expect(recent.since('day', 0).length).toBeLessThanOrEqual(1_440 + 60 + 1);
    expect(recent.changed().length).toBeLessThanOrEqual(62 + 26);
    expect(recent.since('day', 0).at(-1)).toMatchObject({ at: 30 * 3_600 - 120, rates: [30, 0, 0, 0, 0, 0] });
  });

  it('names a part until it was stored as it is', () => {
    const recent = new Recent();
    for (let at = 0; at < 61; at += 1) recent.add(sample(at));
    const [minute] = recent.changed();
    expect(recent.changed().map(({ span, number, samples }) => [span, number, samples.length])).toEqual([
      ['hour', 0, 60],
      ['hour', 1, 1],
      ['day', 0, 1],
    ]);
    recent.written('hour', 0, minute?.samples ?? []);
    const [present] = recent.changed();
    recent.add(sample(61));
    recent.written('hour', 1, present?.samples ?? []);
    expect(recent.changed().map(({ span, number }) => [span, number])).toEqual([
      ['hour', 1],
      ['day', 0],
    ]);
  });
});
