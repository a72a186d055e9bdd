import { describe, expect, it } from '@jest/globals';
import { LastRevisions } from './last-revisions.js';

describe('the last revisions of many streams', () => {
  it('are those that were noted last', () => {
    const table = new LastRevisions();
    for (let round = 0; round < 3; round += 1) {
      for (let at = 0; at < 5_000; at += 1)
        expect(table.set(`deal-${at}`, round)).toBe(round === 0 ? undefined : round - 1);
    }
  });

  it('are bounded: a stream more than that is unknown', () => {
    const table = new LastRevisions(2);
    for (const stream of ['a-1', 'a-2', 'a-3']) table.set(stream, 0);
    expect(['a-1', 'a-2', 'a-3'].map((stream) => table.set(stream, 1))).toEqual([0, 0, undefined]);
  });
});
