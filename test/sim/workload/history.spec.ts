import { describe, expect, it } from '@jest/globals';
import { act } from '../checks/made-up-acts.js';
import { type Act, isForgotten } from './history.js';

const HOUR = 3_600_000;

/** An act whose tries were sent at these times of the service, in milliseconds, and ended at once. */
function tried(times: readonly number[]): Act {
  const [first] = act({ type: 'other' }, 'lost').tries;
  if (first === undefined) throw new Error('an act has a try');
  const tries = times.map((time) => ({ ...first, clockSent: time, clockEnded: time }));
  return act({ type: 'other' }, 'lost', { tries });
}

describe('A11: an answer is kept for 24 hours of the service', () => {
  it.each([
    [[0, 23 * HOUR], false],
    [[0, 24 * HOUR], true],
    // World 301049: the answer was kept while an empty copy of the log was put in, which knew of no move of the clock.
    [[300 * HOUR, 0, 300 * HOUR], true],
    [[300 * HOUR, 0], false],
    // World 303098: the clock was moved between the first tries, and the last one came while an empty copy was put in.
    [[0, 300 * HOUR, 0], true],
  ])('tries at %p: forgotten: %p', (times, forgotten) => {
    expect(isForgotten(tried(times))).toBe(forgotten);
  });

  it('counts from the first try under the key, also for another request', () => {
    expect(isForgotten(tried([0]), tried([24 * HOUR]))).toBe(true);
    expect(isForgotten(tried([0]), tried([23 * HOUR]))).toBe(false);
  });
});
