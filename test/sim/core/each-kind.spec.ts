import { describe, expect, it } from '@jest/globals';
import { EachKind } from './each-kind.js';
import { Seeded } from './seeded.js';

describe('a choice among happenings of many kinds', () => {
  it('takes nearly all of a rare kind, and few of a common one', () => {
    const each = new EachKind(new Seeded('1'));
    const chosen = (kind: string, times: number): number =>
      Array.from({ length: times }, () => each.chooses(kind)).filter(Boolean).length;
    expect(chosen('rare', 3)).toBeGreaterThanOrEqual(2);
    const ofCommon = chosen('common', 3_000);
    expect(ofCommon).toBeGreaterThan(10);
    expect(ofCommon).toBeLessThan(100);
    expect(chosen('another rare one', 3)).toBeGreaterThanOrEqual(2);
  });
});
