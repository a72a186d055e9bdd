import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedViewStore } from '#adapters/embedded';
import { ViewFeed, type ViewWriter } from '#eventsourcing';
import { defineView, value, type EventOf, type Recorded, type View } from '#kernel';
import { tempFolder } from '../../../test/support/temp-folder.js';

type Noted = EventOf<'noted.v1', { readonly keys: readonly string[]; readonly by: number; readonly poison?: string }>;
interface Sum {
  readonly sum: number;
  readonly times: number;
}

/** Adds to every key that the event names; throws if the event says so. */
const sums: View<Sum> = defineView<Sum, Noted, 'sum'>({
  name: 'sums',
  version: 1,
  key: ({ data }) => {
    if (data.poison === 'key') throw new Error('no key');
    return data.keys;
  },
  on: {
    'noted.v1': (row, { data }, key) => {
      if (data.poison === key) throw new Error(`cannot take ${key}`);
      if (data.by === 0) return undefined;
      return { sum: (row?.sum ?? 0) + data.by, times: (row?.times ?? 0) + 1 };
    },
  },
  fields: {
    sum: value((row) => {
      if (row.sum < 0) throw new Error('no field of this');
      return row.sum;
    }),
  },
});

let position = 0;
function noted(keys: readonly string[], by: number, poison?: string): Recorded {
  position += 1;
  return {
    type: 'noted.v1',
    data: { keys, by, ...(poison === undefined ? {} : { poison }) },
    id: `event-${position}`,
    stream: 'note-a',
    revision: position - 1,
    position: BigInt(position),
    metadata: { time: position, command_id: 'c', correlation: 'c', causation: null, actor: 'a' },
  };
}

describe('feeding a view from the log', () => {
  let folder: ReturnType<typeof tempFolder>;
  let store: EmbeddedViewStore;
  let writer: ViewWriter;
  let feed: ViewFeed;

  beforeEach(async () => {
    position = 0;
    folder = tempFolder();
    store = EmbeddedViewStore.open(folder.path);
    ({ writer } = await store.begin(sums, 'log'));
    await writer.finish();
    feed = await ViewFeed.open(sums, writer, 'log');
  });
  afterEach(async () => {
    await store.close();
    folder.remove();
  });

  const rows = async (): Promise<Record<string, object>> =>
    Object.fromEntries([...(await writer.load(['a', 'b', 'c']))].map(([key, { row }]) => [key, row]));

  it('folds a batch in memory, writes each touched row once, with the position of its last event', async () => {
    const events = [noted(['a'], 1), noted(['a', 'b'], 2), noted(['b'], 3), { ...noted([], 9), type: 'other.v1' }];
    const changes = await feed.take(events);
    expect(changes).toEqual([
      { key: 'a', row: { sum: 3, times: 2 }, position: 2n },
      { key: 'b', row: { sum: 5, times: 2 }, position: 3n },
    ]);
    expect(await rows()).toEqual({ a: { sum: 3, times: 2 }, b: { sum: 5, times: 2 } });
    expect(await writer.checkpoint()).toEqual({ log: 'log', position: 4n, event: 'event-4' });
    expect(feed.position).toBe(4n);
  });

  it('goes by events that do not concern it at once, and by no other; now and then its checkpoint is written', async () => {
    const other = (): Recorded => ({ ...noted([], 9), type: 'other.v1' });
    const others = [other(), other()];
    expect(feed.passes(others, ['other.v1'])).toBe(true);
    expect(feed.passes(others, ['other.v1'])).toBe(true);
    expect(feed).toMatchObject({ position: 2n, time: 2, taken: 2 });
    expect(feed.seen?.last).toEqual({ log: 'log', position: 2n, event: 'event-2' });
    const own = [other(), noted(['a'], 1)];
    expect(feed.passes(own, ['other.v1', 'noted.v1'])).toBe(false);
    expect(feed.position).toBe(2n);
    expect(await feed.take(own)).toHaveLength(1);
    const many = Array.from({ length: 9_999 }, other);
    expect(feed.passes(many, ['other.v1'])).toBe(true);
    expect(await writer.checkpoint()).toMatchObject({ position: 4n });
    const last = [other()];
    expect(feed.passes(last, ['other.v1'])).toBe(false);
    await feed.take(last);
    expect(await writer.checkpoint()).toMatchObject({ position: 10_004n });
    await feed.take([noted(['a'], 1, 'a')]);
    expect(feed.passes([other()], ['other.v1'])).toBe(false);
  });

  it('skips events that it has seen, all or some of them', async () => {
    const events = [noted(['a'], 1), noted(['a'], 2)];
    await feed.take(events);
    expect(await feed.take(events)).toEqual([]);
    expect(await feed.take([...events, noted(['a'], 4)])).toHaveLength(1);
    expect(await rows()).toEqual({ a: { sum: 7, times: 3 } });
  });

  it('continues from its checkpoint after a restart', async () => {
    const events = [noted(['a'], 1), noted(['a'], 2)];
    await feed.take(events);
    const again = await ViewFeed.open(sums, writer, 'log');
    expect(again.position).toBe(2n);
    await again.take([...events, noted(['a'], 4)]);
    expect(await rows()).toEqual({ a: { sum: 7, times: 3 } });
  });

  // A store without transactions may have rows after its checkpoint, if a crash lost the checkpoint's write.
  it('folds no event into a row that has seen it, whatever the checkpoint says', async () => {
    const events = [noted(['a'], 1), noted(['a', 'b'], 2)];
    const before = { log: 'log', position: 0n, event: '' };
    await writer.write([{ key: 'a', row: { sum: 3, times: 2 }, position: 2n }], before);
    await feed.take([...events, noted(['a'], 4)]);
    expect(await rows()).toEqual({ a: { sum: 7, times: 3 }, b: { sum: 2, times: 1 } });
  });

  it('removes rows, and reports no removal of a row that never existed', async () => {
    await feed.take([noted(['a'], 1)]);
    expect(await feed.take([noted(['a'], 0)])).toMatchObject([{ key: 'a', row: undefined, position: 2n }]);
    expect(await feed.take([noted(['b'], 1), noted(['b'], 0)])).toEqual([]);
    expect(await rows()).toEqual({});
    await feed.take([noted(['a'], 5)]);
    expect(await rows()).toEqual({ a: { sum: 5, times: 1 } });
  });

  describe('stops before an event that it cannot take', () => {
    const poisons: readonly (readonly [string, () => Recorded])[] = [
      ['the handler throws', () => noted(['a'], 1, 'a')],
      ['the handler throws at its second row', () => noted(['a', 'b'], 1, 'b')],
      ['its keys cannot be found', () => noted(['a'], 1, 'key')],
      ['a field of the row that it makes cannot be found', () => noted(['a'], -100)],
    ];
    it.each(poisons)('%s', async (_, poison) => {
      const good = [noted(['a'], 1), noted(['b'], 1)];
      await feed.take([...good, poison(), noted(['a'], 50)]);
      expect(feed.stopped?.message).toContain('sums cannot take note-a@2');
      expect(feed.stopped?.cause).toBeInstanceOf(Error);
      expect(await rows()).toEqual({ a: { sum: 1, times: 1 }, b: { sum: 1, times: 1 } });
      expect(await writer.checkpoint()).toMatchObject({ position: 2n, event: 'event-2' });
      expect(await feed.take([noted(['a'], 1)])).toEqual([]);
    });

    it('as the first of a batch: nothing is written, the checkpoint stays', async () => {
      await feed.take([noted(['a'], 1)]);
      expect(await feed.take([noted(['a'], 1, 'a'), noted(['a'], 1)])).toEqual([]);
      expect(feed.position).toBe(1n);
      expect(await writer.checkpoint()).toMatchObject({ position: 1n });
    });
  });
});
