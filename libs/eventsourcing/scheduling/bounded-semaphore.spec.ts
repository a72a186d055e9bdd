import { describe, expect, it } from '@jest/globals';
import { BoundedSemaphore } from './bounded-semaphore.js';
import { Unavailable } from '../errors.js';

describe('bounded semaphore', () => {
  it('limit what runs at once and what waits, and refuse the rest with 503', async () => {
    const semaphore = new BoundedSemaphore({ atOnce: 2, waiting: 3, refusal: 'too much work waits' });
    const ends: (() => void)[] = [];
    let [running, most] = [0, 0];
    const work = (): Promise<void> => {
      most = Math.max(most, (running += 1));
      return new Promise((resolve) => ends.push(() => resolve(void (running -= 1))));
    };
    const taken = Array.from({ length: 5 }, () => semaphore.run(work));
    await expect(semaphore.run(work)).rejects.toThrow(Unavailable);
    for (let n = 0; n < 5; n += 1) {
      await Promise.resolve();
      ends[n]?.();
      await taken[n];
    }
    expect([most, running, ends.length]).toEqual([2, 0, 5]);
    // A place is free again.
    const later = semaphore.run(() => Promise.reject(new Error('no')));
    await expect(later).rejects.toThrow('no');
    await expect(semaphore.run(() => Promise.resolve(7))).resolves.toBe(7);
  });
});
