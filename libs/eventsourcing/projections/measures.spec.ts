import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import type { Recorded } from '#kernel';
import { EventRate } from './event-rate.js';
import { LogExtent } from './log-extent.js';
import { AdaptiveChunks } from './adaptive-chunks.js';

const at = (position: bigint, time: number): Recorded => ({
  type: 'noted.v1',
  data: {},
  id: `event-${position}`,
  stream: 'note-a',
  revision: 0,
  position,
  metadata: { time, command_id: 'c', correlation: 'c', causation: null, actor: 'a' },
});

describe('G6: the reported progress of a projection', () => {
  it('counts the events after a position if positions count events', () => {
    const extent = new LogExtent(0n, 0);
    expect(extent.eventsAfter(0n)).toBe(0);
    extent.extend(0n, [at(1n, 5), at(2n, 7)]);
    expect([extent.head, extent.headTime, extent.eventsAfter(0n), extent.eventsAfter(2n)]).toEqual([2n, 7, 2, 0]);
  });

  // On EventStoreDB a position is an offset in bytes.
  it('estimates them if positions are apart, and never gives zero for a view that is behind', () => {
    const extent = new LogExtent(10_000n, 9);
    extent.extend(0n, [at(180n, 1), at(420n, 2), at(600n, 3)]);
    expect([extent.head, extent.headTime]).toEqual([10_000n, 9]);
    expect(extent.eventsAfter(600n)).toBe(47);
    expect(extent.eventsAfter(9_999n)).toBe(1);
    extent.reached(20_000n);
    expect(extent.eventsAfter(10_000n)).toBe(50);
  });

  it('does not give bytes for events: their number is unknown before any was read', () => {
    const extent = new LogExtent(507_397_246n, 9, true);
    expect([extent.eventsAfter(0n), extent.eventsAfter(507_397_246n)]).toEqual([null, 0]);
    extent.extend(0n, [at(200n, 1), at(400n, 2)]);
    expect(extent.eventsAfter(507_000_000n)).toBe(1_986);
  });

  it('gives the speed of the last seconds, and 0 if nothing came', () => {
    const rate = new EventRate(0);
    for (let now = 100; now <= 10_000; now += 100) rate.took(100, now);
    expect(rate.perSecond(10_000)).toBeGreaterThan(950);
    expect(rate.perSecond(10_000)).toBeLessThan(1_050);
    rate.perSecond(12_500);
    expect(rate.perSecond(14_000)).toBeLessThan(400);
    expect(rate.perSecond(20_000)).toBe(0);
  });
});

describe('the chunks of a batch', () => {
  const batch = Array.from({ length: 10_000 }, (_, index) => at(BigInt(index + 1), 1));
  /** The sizes of the chunks of so many events, for a target of 50 ms, if each event takes this many milliseconds. */
  function sizes(events: number, each: number): readonly number[] {
    let now = 0;
    const found: number[] = [];
    for (const chunk of new AdaptiveChunks(4_000, 50, { monotonic: () => now }).of(batch.slice(0, events))) {
      found.push(chunk.length);
      now += chunk.length * each;
    }
    return found;
  }

  it('grow if the store is fast, up to the maximum, and leave nothing out', () => {
    expect(sizes(10_000, 0)).toEqual([100, 400, 1_600, 4_000, 3_900]);
  });

  it('shrink if it is slow, and begin with few: a projector that has just begun must be able to report and close soon', () => {
    expect(sizes(300, 1)).toEqual([100, 50, 50, 50, 50]);
  });

  it('of an empty batch are one empty chunk', () => {
    expect([...new AdaptiveChunks(10, 10, thisMachine.time).of([])]).toEqual([[]]);
  });
});
