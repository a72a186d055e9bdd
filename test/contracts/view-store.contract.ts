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

/**
 * What every view store has to do, with the reason of each case; the queries have a suite of their own within it. `lacks`
 * names the operators that the server under the store does not have, which are left out of it.
 */
export function viewStoreContract(
  name: string,
  open: () => Promise<ViewStoreSubject>,
  lacks: readonly string[] = [],
): void {
  describe(`view store contract: ${name}`, () => {
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

    const begin = (view: View = counters, log = LOG): ReturnType<ViewStore['begin']> => subject.store.begin(view, log);

    /** A finished generation that holds those changes, beside what is there. */
    const beside = async (...changes: readonly RowChange[]): Promise<{ number: number; writer: ViewWriter }> => {
      const { number, writer } = await begin();
      await writer.write(changes, at(changes.at(-1)?.position ?? 0n));
      await writer.finish();
      subject.readers.refresh();
      return { number, writer };
    };

    const promote = async (number: number): Promise<void> => {
      await subject.store.promote(counters, number);
      subject.readers.refresh();
    };

    const drop = async (number: number): Promise<void> => {
      await subject.store.drop(counters, number);
      subject.readers.refresh();
    };

    /** A live generation that holds those changes. */
    const built = async (...changes: readonly RowChange[]): Promise<ViewWriter> => {
      const { number, writer } = await beside(...changes);
      await promote(number);
      return writer;
    };

    /** The finished generations, as `1` or `1 live`. */
    const finished = async (): Promise<readonly string[]> =>
      (await subject.store.generations(counters, LOG))
        .filter((each) => each.finished)
        .map(({ number, live }) => `${number}${live ? ' live' : ''}`);

    const reader = (): ViewReader<Counter> => subject.readers.reader(counters);
    const countOf = async (key: string): Promise<number | undefined> => (await reader().get(key))?.row.count;

    describe('writing', () => {
      // The projector resumes after this event: a generation that has seen nothing has to begin at the start.
      it('has no checkpoint before the first write, and then the last one written', async () => {
        const { writer } = await begin();
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
        const { writer } = await begin();
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
        const { writer } = await begin();
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
      // A half built view would answer that things do not exist, and one that has not caught up, old things.
      it('is not ready to be read before one is finished and promoted', async () => {
        const early = reader();
        const query = { where: everything, sort: [], page: 1, perPage: 10 };
        const expectNotReady = async (): Promise<void> => {
          subject.readers.refresh();
          await expect(early.get('a')).rejects.toBeInstanceOf(ViewNotReady);
          await expect(early.find(query)).rejects.toBeInstanceOf(ViewNotReady);
          await expect(early.count(everything)).rejects.toBeInstanceOf(ViewNotReady);
          await expect(early.min('count', everything)).rejects.toBeInstanceOf(ViewNotReady);
          expect(await early.position()).toBe(0n);
        };
        await expectNotReady();
        const { number, writer } = await begin();
        await writer.write([put('a', 1, 1n)], at(1n));
        await expectNotReady();
        await writer.finish();
        await expectNotReady();
        await promote(number);
        expect((await early.get('a'))?.row).toEqual({ count: 1 });
        expect(await early.find(query)).toHaveLength(1);
        expect(await early.position()).toBe(1n);
      });

      // A new installation has no events: its views are ready all the same.
      it('can be finished empty', async () => {
        const { number, writer } = await begin();
        await writer.finish();
        await promote(number);
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

      // What is built beside the live one is not compared with anything yet; both are fed until one of them is dropped.
      it('reads the live one, and writes each by its own, until another is promoted', async () => {
        const first = await built(put('a', 1, 1n));
        const second = await beside(put('a', 10, 1n), put('b', 10, 2n));
        expect(await finished()).toEqual(['1 live', '2']);
        expect(await countOf('a')).toBe(1);
        await second.writer.write([put('a', 11, 3n)], at(3n));
        await first.write([put('a', 2, 3n)], at(3n));
        subject.readers.refresh();
        expect(await countOf('a')).toBe(2);
        expect(await reader().count(everything)).toBe(1);
        await promote(second.number);
        expect(await finished()).toEqual(['1', '2 live']);
        expect(await countOf('a')).toBe(11);
        expect(await reader().count(everything)).toBe(2);
        await first.write([put('a', 3, 4n)], at(4n));
        await second.writer.write([put('a', 12, 4n)], at(4n));
        subject.readers.refresh();
        expect(await countOf('a')).toBe(12);
      });

      // The older one is kept for this: what turns out to be wrong with the new one is answered by going back.
      it('goes back to an older one by promoting it, as often as wished', async () => {
        await built(put('a', 1, 1n));
        const second = await beside(put('a', 2, 1n));
        for (const [number, count] of [
          [second.number, 2],
          [1, 1],
          [1, 1],
          [second.number, 2],
          [1, 1],
        ] as const) {
          await promote(number);
          expect(await countOf('a')).toBe(count);
        }
        expect(await finished()).toEqual(['1 live', '2']);
      });

      // Partners read all the time: none of them may meet a moment without a view, or a mixture of two.
      it('is promoted in one step under those who read', async () => {
        const numbers = [1, 2, 3];
        for (const number of numbers) {
          await beside(...Array.from({ length: 20 }, (_, index) => put(`k${index}`, number, 1n)));
        }
        await promote(1);
        let over = false;
        const seen = new Set<number>();
        const read = async (): Promise<void> => {
          const mine = reader();
          while (!over) {
            const rows = await mine.find({ where: everything, sort: [], page: 1, perPage: 30 });
            expect(rows).toHaveLength(20);
            expect(new Set(rows.map(({ row }) => row.count)).size).toBe(1);
            seen.add((await mine.get('k7'))?.row.count ?? 0);
            await new Promise((resolve) => setImmediate(resolve));
          }
        };
        const reading = [read(), read()];
        for (const number of [2, 3, 1, 3, 2, 1, 2]) {
          await subject.store.promote(counters, number);
          subject.readers.refresh();
          await new Promise((resolve) => setTimeout(resolve, 15));
        }
        await drop(1);
        await drop(3);
        await new Promise((resolve) => setTimeout(resolve, 15));
        over = true;
        await Promise.all(reading);
        expect([...seen].sort()).toEqual(numbers);
        expect(await finished()).toEqual(['2 live']);
      });

      // One that is half built is worth nothing to readers, and one that is gone even less.
      it('refuses to promote what is not finished', async () => {
        await built(put('a', 1, 1n));
        const { number } = await begin();
        await expect(subject.store.promote(counters, number)).rejects.toThrow();
        await expect(subject.store.promote(counters, 99)).rejects.toThrow();
        subject.readers.refresh();
        expect(await countOf('a')).toBe(1);
        expect(await finished()).toEqual(['1 live']);
      });

      it('drops one that is not live, and nobody is disturbed', async () => {
        await built(put('a', 1, 1n));
        const second = await beside(put('a', 2, 1n));
        await drop(second.number);
        await drop(second.number);
        expect(await finished()).toEqual(['1 live']);
        expect(await countOf('a')).toBe(1);
      });

      // Its readers may hold what they saw a moment longer; then they see the one that took its place.
      it('drops one that was live a moment ago', async () => {
        await built(put('a', 1, 1n));
        const second = await beside(put('a', 2, 1n));
        expect(await countOf('a')).toBe(1);
        await subject.store.promote(counters, second.number);
        await subject.store.drop(counters, 1);
        expect([1, 2]).toContain(await countOf('a'));
        subject.readers.refresh();
        expect(await countOf('a')).toBe(2);
        expect(await finished()).toEqual(['2 live']);
      });

      it('drops one that is being built', async () => {
        await built(put('a', 1, 1n));
        const { number, writer } = await begin();
        await writer.write([put('a', 2, 1n)], at(1n));
        await drop(number);
        expect((await subject.store.generations(counters, LOG)).map((each) => each.number)).toEqual([1]);
        expect(await countOf('a')).toBe(1);
      });

      // The log was restored from a backup: it has the same name, but not the event at the checkpoint.
      it('drops the live one under the eyes of its readers, and begins anew', async () => {
        await built(put('a', 1, 1n));
        expect(await countOf('a')).toBe(1);
        await drop(1);
        await expect(reader().get('a')).rejects.toBeInstanceOf(ViewNotReady);
        expect(await finished()).toEqual([]);
        const writer = await built(put('b', 1, 2n));
        expect((await writer.load(['a'])).size).toBe(0);
        expect(await countOf('a')).toBeUndefined();
        expect(await countOf('b')).toBe(1);
        await restart();
        expect(await finished()).toEqual(['2 live']);
        expect(await countOf('b')).toBe(1);
      });

      // Operators name generations by their numbers: an order that comes late must not meet another one.
      it('never uses a number twice, whatever was dropped before', async () => {
        await built(put('a', 1, 1n));
        await drop((await beside()).number);
        const third = await begin();
        expect(third.number).toBe(3);
        await drop(third.number);
        await drop(1);
        await restart();
        await subject.store.generations(counters, LOG);
        expect((await begin()).number).toBe(4);
      });

      // Otherwise every start would rebuild everything, or undo what an operator decided.
      it('goes on after a restart where it was, and the same one is live', async () => {
        await built(put('a', 1, 1n));
        await promote((await beside(put('a', 5, 1n))).number);
        await beside(put('a', 9, 1n));
        await restart();
        expect(await countOf('a')).toBe(5);
        expect(await finished()).toEqual(['1', '2 live', '3']);
        const listed = await subject.store.generations(counters, LOG);
        expect(listed.map(({ checkpoint }) => checkpoint)).toEqual([at(1n), at(1n), at(1n)]);
        const writer = await subject.store.open(counters, 2);
        expect(await writer.checkpoint()).toEqual(at(1n));
        await writer.write([put('a', 6, 2n)], at(2n));
        await restart();
        expect(await countOf('a')).toBe(6);
        expect(await reader().position()).toBe(2n);
        await promote(1);
        await restart();
        expect(await countOf('a')).toBe(1);
      });

      // The projector begins anew in the same process after a failure: its old writer is not closed, and must not matter.
      it('is taken over by who opens it again', async () => {
        const first = await built(put('a', 1, 1n));
        const second = await subject.store.open(counters, 1);
        await second.write([put('a', 2, 2n)], at(2n));
        await first.close();
        await second.write([put('b', 2, 3n)], at(3n));
        subject.readers.refresh();
        expect([await countOf('a'), await countOf('b')]).toEqual([2, 2]);
      });

      // Its rows come from events that this log does not have.
      it('drops those of another log, and their readers wait for the new one', async () => {
        await built(put('a', 1, 1n));
        await beside(put('a', 2, 1n));
        await restart();
        expect(await countOf('a')).toBe(1);
        expect(await subject.store.generations(counters, 'log-two')).toEqual([]);
        const { number, writer } = await begin(counters, 'log-two');
        expect(await writer.checkpoint()).toBeUndefined();
        expect((await writer.load(['a'])).size).toBe(0);
        subject.readers.refresh();
        await expect(reader().get('a')).rejects.toBeInstanceOf(ViewNotReady);
        await writer.write([put('b', 1, 1n)], at(1n, 'log-two'));
        await writer.finish();
        await promote(number);
        expect(await countOf('a')).toBeUndefined();
        expect(await countOf('b')).toBe(1);
      });

      // Fields that change without a new version would be asked for columns or indexes that are not there.
      it('drops those of other fields', async () => {
        await built(put('a', 1, 1n));
        await restart();
        const changed: View<Counter> = { ...counters, fields: { ...counters.fields, more: value((row) => row.count) } };
        expect(await subject.store.generations(changed, LOG)).toEqual([]);
        subject.readers.refresh();
        await expect(subject.readers.reader(changed).get('a')).rejects.toBeInstanceOf(ViewNotReady);
      });

      // Without a journal what was left of it proves nothing; with one, an hour's work need not be done again.
      it('drops one that broke off before it was finished, or goes on with it from its checkpoint', async () => {
        const begun = await begin();
        await begun.writer.write([put('a', 1, 1n)], at(1n));
        await restart();
        await expect(reader().get('a')).rejects.toBeInstanceOf(ViewNotReady);
        const [left] = await subject.store.generations(counters, LOG);
        if (left === undefined) {
          const { number, writer } = await begin();
          expect(number).toBe(begun.number + 1);
          expect(await writer.checkpoint()).toBeUndefined();
          expect((await writer.load(['a'])).size).toBe(0);
          return;
        }
        expect(left).toEqual({ number: begun.number, finished: false, live: false, checkpoint: at(1n) });
        const writer = await subject.store.open(counters, left.number);
        expect(await writer.checkpoint()).toEqual(at(1n));
        await writer.write([put('b', 1, 2n)], at(2n));
        await writer.finish();
        await promote(left.number);
        expect([await countOf('a'), await countOf('b')]).toEqual([1, 1]);
      });

      // An old build may run beside a new one: neither may touch what the other reads.
      it('keeps versions and views apart', async () => {
        await built(put('a', 1, 1n));
        for (const other of [
          { ...counters, version: 2 },
          { ...counters, version: 11 },
          { ...counters, name: 'counters.v1' },
        ]) {
          expect(await subject.store.generations(other, LOG)).toEqual([]);
          const { number, writer } = await begin(other);
          expect(number).toBe(1);
          await expect(subject.readers.reader(other).get('a')).rejects.toBeInstanceOf(ViewNotReady);
          await writer.write([put('a', 9, 1n)], at(1n));
          await writer.finish();
          await subject.store.promote(other, number);
        }
        subject.readers.refresh();
        expect(await countOf('a')).toBe(1);
        expect(await finished()).toEqual(['1 live']);
      });
    });

    viewQueryContract(() => subject, lacks);
  });
}
