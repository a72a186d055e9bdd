import { describe, expect, it } from '@jest/globals';
import type { Recorded } from '#kernel';
import { Past } from './past.js';

/** A stream whose events are at every third position, one second apart; a read gives at most `page` of them. */
function streamOf(
  length: number,
  page = 7,
): { readonly events: (stream: string, some?: object) => Promise<Recorded[]>; reads: number } {
  const all = Array.from(
    { length },
    (_, revision) =>
      ({ revision, position: BigInt(3 * revision + 1), metadata: { time: 1_000 * revision } }) as unknown as Recorded,
  );
  const log = {
    reads: 0,
    events(_: string, some: object = {}) {
      const { from, most } = some as { from: number; most: number };
      log.reads += 1;
      return Promise.resolve(all.slice(from, from + Math.min(most, page)));
    },
  };
  return log;
}

describe('G7.2: a stream as it was', () => {
  it.each([
    ['before its first event', 0n, -1],
    ['at its first event', 1n, 0],
    ['between two events', 6n, 1],
    ['at an event', 7n, 2],
    ['at its last event', 58n, 19],
    ['later', 1_000n, 19],
  ])('%s: position %s', async (_, position, revision) => {
    const past = new Past(streamOf(20), { position, instant: 0 });
    expect(await past.revision('a')).toBe(revision);
    expect((await past.events('a')).map((event) => event.revision)).toEqual(
      Array.from({ length: revision + 1 }, (__, nth) => nth),
    );
    expect((await past.last('a'))?.revision).toBe(revision < 0 ? undefined : revision);
    const back: number[] = [];
    for await (const event of past.back('a')) back.push(event.revision);
    expect(back).toEqual(Array.from({ length: revision + 1 }, (__, nth) => revision - nth));
  });

  it('at an instant has all events up to it', async () => {
    const past = new Past(streamOf(20), { position: undefined, instant: 4_500 });
    expect([await past.revision('a'), (await past.events('a')).length]).toEqual([4, 5]);
  });

  it('finds the last event of a long stream with few reads', async () => {
    const log = streamOf(100_000);
    expect(await new Past(log, { position: 3n * 54_321n + 1n, instant: 0 }).revision('a')).toBe(54_321);
    expect(log.reads).toBeLessThan(40);
  });
});
