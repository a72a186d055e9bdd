import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { EventIds, type Finding, SteppableClock } from '#eventsourcing';
import type { Instant } from '#kernel';
import { metadataAt } from '../../../test/support/tally.js';
import { ClockWatch } from './clock-watch.js';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;

describe('a clock that other clocks contradict', () => {
  const refuse = jest.fn<(finding: Finding) => boolean>();
  let clock: SteppableClock;
  let watch: ClockWatch;
  const ids = new EventIds(thisMachine.randomness);

  const heard = (time: Instant, written: Instant | undefined, own = false, causation: string | null = null): void => {
    const id = own ? ids.next() : '00000000-0000-8000-8000-000000000001';
    watch.check({ id, metadata: { ...metadataAt(time), causation } }, written);
  };

  beforeEach(() => {
    refuse.mockReset().mockReturnValue(true);
    clock = new SteppableClock(() => NOW);
    watch = new ClockWatch(clock, (id) => ids.has(id), refuse);
  });

  it.each<[string, Instant, Instant | undefined, boolean, RegExp]>([
    ['the server wrote in its future', NOW, NOW + 12_000, false, /12 s behind that of the event log’s server/],
    [
      'the server wrote long before it decided',
      NOW,
      NOW - 12_000,
      true,
      /12 s ahead of that of the event log’s server/,
    ],
    ['another process decides in its future', NOW + 12_000, undefined, false, /12 s behind that of another process/],
  ])('stops decisions, once: %s', (_, time, written, own, words) => {
    heard(time, written, own);
    heard(time, written, own);
    expect(refuse.mock.calls).toMatchObject([[{ stream: undefined, words: expect.stringMatching(words) }]]);
  });

  it('is reported again until that is settled', () => {
    refuse.mockReturnValue(false);
    heard(NOW, NOW + 12_000);
    heard(NOW, NOW + 12_000);
    expect(refuse).toHaveBeenCalledTimes(2);
  });

  it.each<[string, Instant, Instant | undefined, boolean, string | null]>([
    ['clocks differ a little', NOW + 9_000, NOW + 9_000, false, null],
    ['an own event took long to arrive', NOW - 60_000, NOW, true, null],
    ['an event arrives late', NOW - DAY, NOW - DAY, false, null],
    ['another process is ahead of the server: that one stops', NOW + 60_000, NOW, false, null],
    ['another process is behind', NOW - 60_000, undefined, false, null],
    ['a follower carries its decision’s time', NOW - DAY, NOW - 2 * DAY, true, 'deal-1@0'],
  ])('continues if %s', (_, time, written, own, causation) => {
    heard(time, written, own, causation);
    expect(refuse).not.toHaveBeenCalled();
  });

  it('G10: continues when the test clock is moved, ahead of the machines’ time', () => {
    clock.follow(DAY);
    heard(NOW + DAY, NOW, true);
    heard(NOW + DAY, NOW);
    heard(NOW + DAY, undefined);
    // Decided before the clock was moved, and delivered now.
    clock.follow(2 * DAY);
    heard(NOW + DAY, NOW, true);
    expect(refuse).not.toHaveBeenCalled();
  });
});
