import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { thisMachine } from '#adapters/machine';
import { type Batch, CountedNumbers, type EventCounts, eventCountsView, Freshness, Unavailable } from '#eventsourcing';
import type { Position, Recorded } from '#kernel';

const VIEW = eventCountsView(['bell-rung.v1']);

/** A log with events at these positions, the view of the first `viewed` of them, and a process that began after `began`. */
function worldOf(positions: readonly Position[], { viewed = positions.length, began = 0 } = {}) {
  const events = positions.map((position) => ({ position }) as Recorded);
  const rows = new Map<string, EventCounts>();
  for (const event of events.slice(0, viewed)) {
    for (const key of VIEW.keys(event)) {
      const row = VIEW.apply(rows.get(key), event, key);
      if (row !== undefined) rows.set(key, row);
    }
  }
  const freshness = new Freshness(thisMachine.time);
  freshness.reached([{ view: VIEW.name, position: positions[viewed - 1] ?? 0n }]);
  const numbers = new CountedNumbers({
    log: {
      head: () => Promise.resolve(positions.at(-1) ?? 0n),
      eventAt: (at) => Promise.resolve(events.find(({ position }) => position === at)),
      async *subscribe(after, max): AsyncGenerator<Batch, void> {
        const left = events.filter(({ position }) => position > after);
        for (let from = 0; from < left.length; from += max) {
          await Promise.resolve();
          yield { events: left.slice(from, from + max), caughtUp: from + max >= left.length };
        }
        yield { events: [], caughtUp: true };
      },
    },
    views: { reader: () => ({ get: (key: string) => Promise.resolve(stored(key)) }) as never },
    view: VIEW,
    freshness,
    time: thisMachine.time,
  });
  const stored = (key: string): object | undefined => {
    const row = rows.get(key);
    return row && { key, row, position: 0n };
  };
  numbers.followedTo(positions[began - 1] ?? 0n);
  for (const position of positions.slice(began)) numbers.took(position);
  const follow = (): void => {
    numbers.followedTo(positions.at(-1) ?? 0n);
    freshness.followedTo(positions.at(-1) ?? 0n);
  };
  follow();
  return { numbers, freshness };
}

/** Ascending positions, near each other and far apart. */
const logs = fc
  .array(fc.oneof(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 1, max: 2 ** 35 })), { maxLength: 60 })
  .map((gaps) => {
    let at = 0n;
    return gaps.map((gap) => (at += BigInt(gap)));
  });

describe('H6.1: numbers of a log whose positions count bytes', () => {
  it('are those of its events in order, wherever they are and whenever the process began to follow', async () => {
    await fc.assert(
      fc.asyncProperty(logs, fc.nat(60), async (positions, started) => {
        const { numbers } = worldOf(positions, { began: Math.min(started, positions.length) });
        const stop = new AbortController();
        await numbers.begin(stop.signal);
        for (const [index, position] of positions.entries()) {
          expect(await numbers.soonAt(position)).toBe(index + 1);
          expect(await numbers.positionOf(index + 1)).toBe(position);
        }
        expect(await numbers.positionOf(0)).toBe(0n);
        expect(await numbers.positionOf(positions.length + 1)).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });

  it('of what the process has followed are known at once; between two events it is that of the earlier one', async () => {
    const { numbers } = worldOf([100n, 300n, 70_000n, 140_000n], { began: 2 });
    expect(numbers.at(140_000n)).toBeUndefined();
    await numbers.begin(new AbortController().signal);
    expect([300n, 69_999n, 70_000n, 100_000n, 140_000n].map((position) => numbers.at(position))).toEqual([
      2, 2, 3, 3, 4,
    ]);
    expect([numbers.at(100n), numbers.at(140_001n)]).toEqual([undefined, undefined]);
  });

  it('are unknown as long as the view has not come to where the process began', async () => {
    const { numbers } = worldOf([100n, 300n, 70_000n], { viewed: 1, began: 2 });
    const stop = new AbortController();
    const beginning = numbers.begin(stop.signal);
    expect(await numbers.soonAt(70_000n)).toBeUndefined();
    await expect(numbers.positionOf(3)).rejects.toThrow(Unavailable);
    stop.abort();
    await beginning;
  });

  it('stay right when more events came than are kept', async () => {
    const positions = Array.from({ length: 40_000 }, (_, index) => BigInt(index + 1) * 700n);
    for (const late of [false, true]) {
      const { numbers } = worldOf(positions.slice(0, 10), { began: 5 });
      if (!late) await numbers.begin(new AbortController().signal);
      for (const position of positions.slice(10)) {
        numbers.took(position);
        numbers.followedTo(position);
      }
      expect(numbers.at(positions.at(-1) ?? 0n)).toBe(late ? undefined : 40_000);
      expect(numbers.at(100n)).toBeUndefined();
    }
  });
});
