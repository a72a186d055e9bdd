import { beforeEach, describe, expect, it } from '@jest/globals';
import { isStuck } from '#eventsourcing';
import { MINUTE, SECOND, type Instant } from '#kernel';
import { Attempts } from './attempts.js';

describe('the tries of a work list', () => {
  let attempts: Attempts;
  let now: Instant;
  beforeEach(() => {
    attempts = new Attempts('jobs');
    now = 1_000_000;
  });

  /** Tries a row this many times, each time as soon as possible; returns the pauses between in seconds. */
  const pauses = (times: number, tryOnce: () => void): number[] => {
    const pauses: number[] = [];
    tryOnce();
    while (pauses.length < times - 1) {
      const before = now;
      while (!attempts.mayTry('a', now)) now += SECOND;
      pauses.push((now - before) / SECOND);
      tryOnce();
    }
    return pauses;
  };
  const fail = (): void => attempts.failed('a', now, new Error('not now'));

  it('a row that fails is tried again after 1, 2, 4 … seconds, five minutes at most', () => {
    expect(pauses(13, fail)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  });

  it('a row that stays open although its command succeeded pauses longer and longer, and becomes stuck, too', () => {
    expect(pauses(12, () => attempts.done('a', now))).toEqual([5, 5, 5, 8, 16, 32, 64, 128, 256, 300, 300]);
    expect(attempts.tried(['a'])).toEqual([
      {
        ...{ list: 'jobs', key: 'a', tries: 12 },
        error: expect.stringContaining('succeeded'),
        nextTryAt: now + 300 * SECOND,
      },
    ]);
  });

  it('shows how often a row was tried, and no longer once it is gone', () => {
    pauses(9, fail);
    expect(attempts.tried(['a', 'b']).filter(isStuck)).toEqual([]);
    now += 256 * SECOND;
    fail();
    const nextTryAt = now + 5 * MINUTE;
    expect(attempts.tried(['a', 'b']).filter(isStuck)).toEqual([
      { list: 'jobs', key: 'a', tries: 10, error: 'Error: not now', nextTryAt },
    ]);
    expect(attempts.next(now)).toBe(now + 5 * MINUTE);
    expect(attempts.next(now + 5 * MINUTE)).toBe(Infinity);
    expect(attempts.tried(['a'])).toEqual([]);
  });

  it('a row is tried at once when an operator says so, and its tries go on counting', () => {
    pauses(9, fail);
    expect(attempts.mayTry('a', now)).toBe(false);
    attempts.retry('a', now);
    expect(attempts.mayTry('a', now)).toBe(true);
    fail();
    expect(attempts.tried(['a'])).toMatchObject([{ tries: 10 }]);
    attempts.retry('never tried', now);
    expect(attempts.tried(['never tried'])).toEqual([]);
  });

  it('a row that came back after it was gone is tried immediately', () => {
    pauses(9, fail);
    attempts.forget('a');
    expect(attempts.mayTry('a', now)).toBe(true);
  });
});
