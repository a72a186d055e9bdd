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
  /** The sizes of the chunks of a batch if each event takes this many milliseconds. */
  function sizes(chunks: AdaptiveChunks, each: number): readonly number[] {
    const found: number[] = [];
    for (const chunk of chunks.of(batch.slice(0, each === 0 ? batch.length : 1_200))) {
      found.push(chunk.length);
      const until = performance.now() + chunk.length * each;
      while (performance.now() < until);
    }
    return found;
  }

  it('grow if the store is fast, up to the maximum, and leave nothing out', () => {
    const found = sizes(new AdaptiveChunks(4_000, 200, thisMachine.time), 0);
    expect(found).toEqual([500, 2_000, 4_000, 3_500]);
  });

  it('shrink if it is slow', () => {
    const found = sizes(new AdaptiveChunks(4_000, 50, thisMachine.time), 0.5);
    expect(found[0]).toBe(500);
    expect(found.slice(1).every((size) => size <= 110)).toBe(true);
    expect(found.reduce((a, b) => a + b)).toBe(1_200);
  });

  it('of an empty batch are one empty chunk', () => {
    expect([...new AdaptiveChunks(10, 10, thisMachine.time).of([])]).toEqual([[]]);
  });
});
