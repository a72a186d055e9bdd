import { describe, expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { atOnce } from '#eventsourcing';

describe('work at once', () => {
  it('is done for each item, for at most so many at a time', async () => {
    const done: number[] = [];
    let running = 0;
    let most = 0;
    await atOnce(3, [1, 2, 3, 4, 5, 6, 7], async (item) => {
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
      done.push(item);
    });
    expect([most, done.toSorted()]).toEqual([3, [1, 2, 3, 4, 5, 6, 7]]);
    await atOnce(3, [], () => Promise.reject(new Error('there is nothing to do')));
  });

  it('begins no more after a failure, waits for what is under way, and throws the first failure', async () => {
    const ended: number[] = [];
    const all = atOnce(2, [1, 2, 3, 4], async (item) => {
      if (item === 1) throw new Error('the first');
      await turn();
      ended.push(item);
      throw new Error('the second');
    });
    await expect(all).rejects.toThrow('the first');
    expect(ended).toEqual([2]);
  });
});
