import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { defineView, type Position, value, type View } from '#kernel';
import {
  type Checkpoint,
  everything,
  type RowChange,
  ViewNotReady,
  type ViewReader,
  type ViewReaders,
  type ViewStore,
  type ViewWriter,
} from '#eventsourcing';
import { viewQueryContract } from './view-query.contract.js';

/** One store and the readers beside it, on data of their own. */
export interface ViewStoreSubject {
  readonly store: ViewStore;
  readonly readers: ViewReaders;
  /** What a restart does: closes both and opens them again on the same data. */
  reopen(): Promise<ViewStoreSubject>;
  /** Closes both and removes the data. */
  close(): Promise<void>;
}

interface Counter {
  readonly count: number;
}

const counters: View<Counter> = defineView<Counter, never>({
  name: 'counters',
  version: 1,
  key: () => [],
  on: {},
  fields: {
    count: value((row) => {
      if (row.count < 0) throw new Error('a field that fails');
      return row.count;
    }),
  },
  indexes: [['count']],
});

const LOG = 'log-one';
const at = (position: Position, log = LOG): Checkpoint => ({ log, position, event: `event-${position}` });
const put = (key: string, count: number, position: Position): RowChange => ({ key, row: { count }, position });
const removal = (key: string, position: Position): RowChange => ({ key, row: undefined, position });

/** What every view store has to do, with the reason of each case; the queries have a suite of their own within it. */
export function viewStoreContract(name: string, open: () => Promise<ViewStoreSubject>): void {
  describe(`view store: ${name}`, () => {
    let subject: ViewStoreSubject;

    beforeEach(async () => {
      subject = await open();
    });

    afterEach(async () => {
      await subject.close();
    });

    const restart = async (): Promise<void> => {
      subject = await subject.reopen();
    };

    /** A finished generation that holds those changes. */
    const built = async (...changes: readonly RowChange[]): Promise<ViewWriter> => {
      const { writer } = await subject.store.openWriter(counters, LOG);
      await writer.write(changes, at(changes.at(-1)?.position ?? 0n));
      await writer.finish();
      subject.readers.refresh();
      return writer;
    };

    const reader = (): ViewReader<Counter> => subject.readers.reader(counters);
    const countOf = async (key: string): Promise<number | undefined> => (await reader().get(key))?.row.count;

    describe('writing', () => {
      // The projector resumes after this event: a generation that has seen nothing has to begin at the start.
      it('has no checkpoint before the first write, and then the last one written', async () => {
        const { writer, fresh } = await subject.store.openWriter(counters, LOG);
        expect(fresh).toBe(true);
        expect(await writer.checkpoint()).toBeUndefined();
        await writer.write([], at(7n));
        expect(await writer.checkpoint()).toEqual({ log: LOG, position: 7n, event: 'event-7' });
      });

      // Positions of a server's log do not fit a double: rounding would skip or repeat events.
      it('keeps positions exactly, beyond 2^53', async () => {
        const position = 2n ** 62n + 1n;
        const writer = await built(put('a', 1, position));
        expect((await writer.checkpoint())?.position).toBe(position);
        expect((await writer.load(['a'])).get('a')?.position).toBe(position);
        expect((await reader().get('a'))?.position).toBe(position);
        expect(await reader().position()).toBe(position);
      });

      // What a crash left unsaid is delivered again; on a store without transactions parts of it are there already.
      it('ignores a change that is older than the row', async () => {
        const writer = await built(put('a', 5, 50n));
        await writer.write([put('a', 4, 40n), removal('a', 49n)], at(50n));
        expect((await writer.load(['a'])).get('a')).toEqual({ key: 'a', row: { count: 5 }, position: 50n });
        await writer.write([put('a', 6, 60n)], at(60n));
        await writer.write([put('a', 5, 50n)], at(60n));
        expect((await writer.load(['a'])).get('a')).toEqual({ key: 'a', row: { count: 6 }, position: 60n });
      });

      // The whole row is replaced, not merged: a part that an event took away must be gone.
      it('replaces a row', async () => {
        const { writer } = await subject.store.openWriter(counters, LOG);
        await writer.write([{ key: 'a', row: { count: 1, more: true }, position: 1n }], at(1n));
        await writer.write([put('a', 2, 2n)], at(2n));
        expect((await writer.load(['a'])).get('a')?.row).toEqual({ count: 2 });
      });

      // Removed rows must not come back in lists, and a later event may make the row anew.
      it('removes rows, and takes them anew', async () => {
        const writer = await built(put('a', 1, 1n), put('b', 1, 2n));
        await writer.write([removal('a', 3n), removal('never there', 3n)], at(3n));
        subject.readers.refresh();
        expect(await countOf('a')).toBeUndefined();
        expect(await reader().count(everything)).toBe(1);
        await writer.write([put('a', 2, 4n)], at(4n));
        subject.readers.refresh();
        expect(await countOf('a')).toBe(2);
      });

      // The fold begins from these rows: a missing one is a new row, and order or number of the keys must not matter.
      it('loads the rows that are there', async () => {
        const writer = await built(put('a', 1, 1n), put('b', 2, 2n));
        const rows = await writer.load(['b', 'missing', 'a']);
        expect([...rows.keys()].sort()).toEqual(['a', 'b']);
        expect(rows.get('b')).toEqual({ key: 'b', row: { count: 2 }, position: 2n });
        expect((await writer.load([])).size).toBe(0);
      });

      // The bulk phase and the live phase may be different code: both must load what they wrote.
      it('loads during the bulk phase', async () => {
        const { writer } = await subject.store.openWriter(counters, LOG);
        await writer.write([put('a', 1, 1n)], at(1n));
        expect((await writer.load(['a'])).get('a')?.row).toEqual({ count: 1 });
      });

      // A checkpoint ahead of the rows would lose the rows for good; behind them, they are only written twice.
      it('leaves the checkpoint where it was when rows cannot be written', async () => {
        const writer = await built(put('a', 1, 1n));
        await expect(writer.write([put('b', 2, 2n), put('c', -1, 3n)], at(3n))).rejects.toThrow('a field that fails');
        expect(await writer.checkpoint()).toEqual(at(1n));
        await writer.write([put('b', 2, 2n)], at(2n));
        subject.readers.refresh();
        expect(await countOf('b')).toBe(2);
        expect(await reader().position()).toBe(2n);
      });

      // Keys are ids and keyed hashes today; nothing in a key may be taken for syntax or be folded.
      it.each(["o'key", 'a"b', 'ключ', 'KEY', '$where', 'a.b', '%_', ''])('takes %j as a key', async (key) => {
        await built(put(key, 1, 1n), put(`${key}x`, 2, 2n));
        expect(await countOf(key)).toBe(1);
        expect((await reader().get(key))?.key).toBe(key);
      });

      // A view holds plain JSON; what comes back is compared byte for byte with a fold of the streams.
      it('gives back rows as they were', async () => {
        const row = {
          count: 1,
          text: 'Zoë 😀 "\\\u0000',
          list: [1, [null, true]],
          deep: { 'a.b': { $c: 0.1 } },
          none: null,
        };
        await built({ key: 'a', row, position: 1n });
        const found = await reader().get('a');
        expect(JSON.stringify(found?.row)).toBe(JSON.stringify(row));
      });
    });

    describe('generations', () => {
      // A half built view would answer that things do not exist.
      it('is not ready to be read before the bulk phase is finished', async () => {
        const early = reader();
        const query = { where: everything, sort: [], page: 1, perPage: 10 };
        await expect(early.get('a')).rejects.toBeInstanceOf(ViewNotReady);
        const { writer } = await subject.store.openWriter(counters, LOG);
        await writer.write([put('a', 1, 1n)], at(1n));
        subject.readers.refresh();
        await expect(early.get('a')).rejects.toBeInstanceOf(ViewNotReady);
        await expect(early.find(query)).rejects.toBeInstanceOf(ViewNotReady);
        await expect(early.count(everything)).rejects.toBeInstanceOf(ViewNotReady);
        await expect(early.min('count', everything)).rejects.toBeInstanceOf(ViewNotReady);
        expect(await early.position()).toBe(0n);
        await writer.finish();
        subject.readers.refresh();
        expect((await early.get('a'))?.row).toEqual({ count: 1 });
        expect(await early.find(query)).toHaveLength(1);
        expect(await early.position()).toBe(1n);
      });

      // A new installation has no events: its views are ready all the same.
      it('can be finished empty', async () => {
        const { writer } = await subject.store.openWriter(counters, LOG);
        await writer.finish();
        subject.readers.refresh();
        expect(await reader().count(everything)).toBe(0);
        expect(await reader().position()).toBe(0n);
      });

      // Readers stand in another thread: they may keep a view of the past, but not beyond the projector's notification.
      it('shows what was written once it is refreshed', async () => {
        const writer = await built(put('a', 1, 1n));
        expect(await countOf('a')).toBe(1);
        await writer.write([put('a', 2, 2n), put('b', 1, 3n)], at(3n));
        subject.readers.refresh();
        expect(await countOf('a')).toBe(2);
        expect(await reader().position()).toBe(3n);
      });

      // Otherwise every start would rebuild everything.
      it('goes on after a restart where it was', async () => {
        await built(put('a', 1, 1n));
        await restart();
        const { writer, fresh } = await subject.store.openWriter(counters, LOG);
        expect(fresh).toBe(false);
        expect(await writer.checkpoint()).toEqual(at(1n));
        expect(await countOf('a')).toBe(1);
        await writer.write([put('a', 2, 2n)], at(2n));
        await restart();
        expect(await countOf('a')).toBe(2);
        expect(await reader().position()).toBe(2n);
      });

      // Its rows come from events that this log does not have.
      it('drops a generation of another log, and its readers wait for the new one', async () => {
        await built(put('a', 1, 1n));
        await restart();
        expect(await countOf('a')).toBe(1);
        const { writer, fresh } = await subject.store.openWriter(counters, 'log-two');
        expect(fresh).toBe(true);
        expect(await writer.checkpoint()).toBeUndefined();
        expect((await writer.load(['a'])).size).toBe(0);
        subject.readers.refresh();
        await expect(reader().get('a')).rejects.toBeInstanceOf(ViewNotReady);
        await writer.write([put('b', 1, 1n)], at(1n, 'log-two'));
        await writer.finish();
        subject.readers.refresh();
        expect(await countOf('a')).toBeUndefined();
        expect(await countOf('b')).toBe(1);
      });

      // In the bulk phase nothing is synced and nothing can be rolled back, so what was left of it proves nothing.
      it('drops a generation that broke off before it was finished', async () => {
        const { writer } = await subject.store.openWriter(counters, LOG);
        await writer.write([put('a', 1, 1n)], at(1n));
        await restart();
        await expect(reader().get('a')).rejects.toBeInstanceOf(ViewNotReady);
        const again = await subject.store.openWriter(counters, LOG);
        expect(again.fresh).toBe(true);
        expect(await again.writer.checkpoint()).toBeUndefined();
        expect((await again.writer.load(['a'])).size).toBe(0);
      });

      // The log was restored from a backup: it has the same name, but not the event at the checkpoint.
      it('begins anew on a reset, under the eyes of its readers', async () => {
        await built(put('a', 1, 1n));
        expect(await countOf('a')).toBe(1);
        const writer = await subject.store.reset(counters, LOG);
        subject.readers.refresh();
        await expect(reader().get('a')).rejects.toBeInstanceOf(ViewNotReady);
        expect(await writer.checkpoint()).toBeUndefined();
        await writer.write([put('b', 1, 2n)], at(2n));
        await writer.finish();
        subject.readers.refresh();
        expect(await countOf('a')).toBeUndefined();
        expect(await countOf('b')).toBe(1);
        await restart();
        expect((await subject.store.openWriter(counters, LOG)).fresh).toBe(false);
        expect(await countOf('b')).toBe(1);
      });

      // An old build may run beside a new one: neither may touch what the other reads.
      it('keeps versions and views apart', async () => {
        await built(put('a', 1, 1n));
        for (const other of [
          { ...counters, version: 2 },
          { ...counters, version: 11 },
          { ...counters, name: 'counters.v1' },
        ]) {
          const { writer, fresh } = await subject.store.openWriter(other, LOG);
          expect(fresh).toBe(true);
          await expect(subject.readers.reader(other).get('a')).rejects.toBeInstanceOf(ViewNotReady);
          await writer.write([put('a', 9, 1n)], at(1n));
          await writer.finish();
        }
        subject.readers.refresh();
        expect(await countOf('a')).toBe(1);
      });
    });

    viewQueryContract(() => subject);
  });
}
