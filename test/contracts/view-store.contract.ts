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

/** A store and its readers, with data of their own. */
export interface ViewStoreSubject {
  readonly store: ViewStore;
  readonly readers: ViewReaders;
  /** Restarts: closes both and opens them again on the same data. */
  reopen(): Promise<ViewStoreSubject>;
  /** Closes both and deletes the data. */
  close(): Promise<void>;
}

interface Counter {
  readonly count: number;
}

const counters: View<Counter> = defineView<Counter, never, 'count'>({
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
 * What every view store has to do, with the reason for each case; the queries have a suite of their own within it. `lacks` names
 * the operators that the server under the store does not have; the suite leaves them out.
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

    /** A finished generation that holds these changes, beside the existing ones. */
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

    /** A live generation that holds these changes. */
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
      // A store may then write only what differs, and must leave the row as a whole one would.
      it('a change that names the stored row replaces it', async () => {
        const writer = await built(put('a', 1, 1n));
        await writer.write([{ ...put('a', 2, 2n), before: { count: 1 } }], at(2n));
        subject.readers.refresh();
        expect(await reader().get('a')).toEqual({ key: 'a', row: { count: 2 }, position: 2n });
        const where = { op: 'eq', field: 'count', value: 2 } as const;
        expect(await reader().count(where)).toBe(1);
      });

      // The projector resumes after this event: a generation that has seen nothing has to begin at the start.
      it('has no checkpoint before the first write, then the last one written', async () => {
        const { writer } = await begin();
        expect(await writer.checkpoint()).toBeUndefined();
        await writer.write([], at(7n));
        expect(await writer.checkpoint()).toEqual({ log: LOG, position: 7n, event: 'event-7' });
      });

      // A double cannot hold a server log's positions: rounding would skip or repeat events.
      it('keeps positions exactly, beyond 2^53', async () => {
        const position = 2n ** 62n + 1n;
        const writer = await built(put('a', 1, position));
        expect((await writer.checkpoint())?.position).toBe(position);
        expect((await writer.load(['a'])).get('a')?.position).toBe(position);
        expect((await reader().get('a'))?.position).toBe(position);
        expect(await reader().position()).toBe(position);
      });

      // After a crash the projector writes again; a store without transactions already holds some of it.
      it('ignores a change that is older than the row', async () => {
        const writer = await built(put('a', 5, 50n));
        await writer.write([put('a', 4, 40n), removal('a', 49n)], at(50n));
        expect((await writer.load(['a'])).get('a')).toEqual({ key: 'a', row: { count: 5 }, position: 50n });
        await writer.write([put('a', 6, 60n)], at(60n));
        await writer.write([put('a', 5, 50n)], at(60n));
        expect((await writer.load(['a'])).get('a')).toEqual({ key: 'a', row: { count: 6 }, position: 60n });
      });

      // The store replaces the whole row instead of merging it: a property that an event removed must be gone.
      it('replaces a row', async () => {
        const { writer } = await begin();
        await writer.write([{ key: 'a', row: { count: 1, more: true }, position: 1n }], at(1n));
        await writer.write([put('a', 2, 2n)], at(2n));
        expect((await writer.load(['a'])).get('a')?.row).toEqual({ count: 2 });
      });

      // Removed rows must not come back in lists, and a later event may create the row again.
      it('removes rows, and accepts them again', async () => {
        const writer = await built(put('a', 1, 1n), put('b', 1, 2n));
        await writer.write([removal('a', 3n), removal('never there', 3n)], at(3n));
        subject.readers.refresh();
        expect(await countOf('a')).toBeUndefined();
        expect(await reader().count(everything)).toBe(1);
        await writer.write([put('a', 2, 4n)], at(4n));
        subject.readers.refresh();
        expect(await countOf('a')).toBe(2);
      });

      // The fold starts from these rows: a missing row is a new one, and order and number of the keys must not matter.
      it('loads the rows that exist', async () => {
        const writer = await built(put('a', 1, 1n), put('b', 2, 2n));
        const rows = await writer.load(['b', 'missing', 'a']);
        expect([...rows.keys()].sort()).toEqual(['a', 'b']);
        expect(rows.get('b')).toEqual({ key: 'b', row: { count: 2 }, position: 2n });
        expect((await writer.load([])).size).toBe(0);
      });

      // Bulk phase and live phase may be different code: both must load what they wrote.
      it('loads rows during the bulk phase', async () => {
        const { writer } = await begin();
        await writer.write([put('a', 1, 1n)], at(1n));
        expect((await writer.load(['a'])).get('a')?.row).toEqual({ count: 1 });
      });

      // A checkpoint ahead of the rows would lose rows for good; one behind them only writes rows twice.
      it('leaves the checkpoint where it was when it cannot write rows', async () => {
        const writer = await built(put('a', 1, 1n));
        await expect(writer.write([put('b', 2, 2n), put('c', -1, 3n)], at(3n))).rejects.toThrow('a field that fails');
        expect(await writer.checkpoint()).toEqual(at(1n));
        await writer.write([put('b', 2, 2n)], at(2n));
        subject.readers.refresh();
        expect(await countOf('b')).toBe(2);
        expect(await reader().position()).toBe(2n);
      });

      // Keys are ids and keyed hashes today; the store must neither parse nor fold a key.
      it.each(["o'key", 'a"b', 'ключ', 'KEY', '$where', 'a.b', '%_', ''])('takes %j as a key', async (key) => {
        await built(put(key, 1, 1n), put(`${key}x`, 2, 2n));
        expect(await countOf(key)).toBe(1);
        expect((await reader().get(key))?.key).toBe(key);
      });

      // Whoever compares many rows parses none that is as it should be.
      it('gives the texts of many rows, without those that are missing or removed', async () => {
        const writer = await built(put("o'key", 1, 1n), put('b', 2, 2n), put('c', 3, 3n));
        await writer.write([removal('b', 4n)], at(4n));
        subject.readers.refresh();
        expect(await reader().texts(['c', "o'key", 'b', 'nobody'])).toEqual(
          new Map([
            ["o'key", '{"count":1}'],
            ['c', '{"count":3}'],
          ]),
        );
        expect(await reader().texts([])).toEqual(new Map());
      });

      // Two builds are compared page by page, whichever of them is live.
      it('G6.1: gives the rows of each finished generation in the order of their keys, and of no other', async () => {
        await built(put('b', 2, 2n), put('a', 1, 1n), put('\uFFFD', 3, 3n), put('\u{10000}', 4, 4n));
        const { number, writer } = await beside(put('a', 5, 5n), put('c', 6, 6n));
        await writer.write([removal('c', 7n)], at(7n));
        const [live, other] = [subject.readers.generation(counters, 1), subject.readers.generation(counters, number)];
        expect(await live.after(undefined, 2)).toEqual([
          { key: 'a', position: 1n, text: '{"count":1}' },
          { key: 'b', position: 2n, text: '{"count":2}' },
        ]);
        expect((await live.after('b', 10)).map(({ key }) => key)).toEqual(['\uFFFD', '\u{10000}']);
        expect(await live.after('\u{10000}', 10)).toEqual([]);
        expect(await live.withKeys(['b', 'nobody'])).toEqual([{ key: 'b', position: 2n, text: '{"count":2}' }]);
        expect(await other.after(undefined, 10)).toEqual([{ key: 'a', position: 5n, text: '{"count":5}' }]);
        expect([await live.position(), await other.position()]).toEqual([4n, 7n]);
        expect(await live.size()).toBe(4);
        live.close();
        other.close();
        const unfinished = await begin();
        for (const unknown of [unfinished.number, 99])
          await expect((async () => subject.readers.generation(counters, unknown).position())()).rejects.toThrow(
            ViewNotReady,
          );
      });

      // A view holds plain JSON; tests compare rows byte for byte with a fold of the streams.
      it('returns rows unchanged', async () => {
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
      // A half-built view would answer that things do not exist, and one that lags would show old things.
      it('are not readable before one of them is finished and promoted', async () => {
        const early = reader();
        const query = { where: everything, sort: [], page: 1, perPage: 10 };
        const expectNotReady = async (): Promise<void> => {
          subject.readers.refresh();
          await expect(early.get('a')).rejects.toBeInstanceOf(ViewNotReady);
          await expect(early.find(query)).rejects.toBeInstanceOf(ViewNotReady);
          await expect(early.versions(query)).rejects.toBeInstanceOf(ViewNotReady);
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

      // A new installation has no events, but its views are ready.
      it('can be empty when they are finished', async () => {
        const { number, writer } = await begin();
        await writer.finish();
        await promote(number);
        expect(await reader().count(everything)).toBe(0);
        expect(await reader().position()).toBe(0n);
      });

      // Readers are in another thread: they may show the past, but only until the projector notifies them.
      it('show what was written after a refresh', async () => {
        const writer = await built(put('a', 1, 1n));
        expect(await countOf('a')).toBe(1);
        await writer.write([put('a', 2, 2n), put('b', 1, 3n)], at(3n));
        subject.readers.refresh();
        expect(await countOf('a')).toBe(2);
        expect(await reader().position()).toBe(3n);
      });

      // A new generation is not yet trusted; the projector writes both until an operator drops one.
      it('each have a writer of their own; readers see the live one until another is promoted', async () => {
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

      // The store keeps the older one for this: if the new one turns out to be wrong, operators go back.
      it('can be promoted again, the older one too, any number of times', async () => {
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

      // Partners read all the time: none may see a moment without a view, or a mix of two.
      it('switch in one step under readers', async () => {
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
        const shown = async (number: number): Promise<void> => {
          seen.clear();
          while (!seen.has(number) && !over) await new Promise((resolve) => setTimeout(resolve, 5));
        };
        const reading = Promise.all([read(), read()]);
        try {
          for (const number of [2, 3, 1, 3, 2, 1, 2]) {
            await subject.store.promote(counters, number);
            subject.readers.refresh();
            await Promise.race([reading, shown(number)]);
          }
          await drop(1);
          await drop(3);
          await Promise.race([reading, shown(2)]);
        } finally {
          over = true;
        }
        await reading;
        expect(await finished()).toEqual(['2 live']);
      });

      // Readers must never get a half-built generation, or one that is gone.
      it('cannot be promoted before they are finished', async () => {
        await built(put('a', 1, 1n));
        const { number } = await begin();
        await expect(subject.store.promote(counters, number)).rejects.toThrow();
        await expect(subject.store.promote(counters, 99)).rejects.toThrow();
        subject.readers.refresh();
        expect(await countOf('a')).toBe(1);
        expect(await finished()).toEqual(['1 live']);
      });

      it('can be dropped while they are not live, without effect on readers', async () => {
        await built(put('a', 1, 1n));
        const second = await beside(put('a', 2, 1n));
        await drop(second.number);
        await drop(second.number);
        expect(await finished()).toEqual(['1 live']);
        expect(await countOf('a')).toBe(1);
      });

      // Readers may see the old one for a moment longer; then they see the new one.
      it('can be dropped right after another one became live', async () => {
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

      it('can be dropped during the build', async () => {
        await built(put('a', 1, 1n));
        const { number, writer } = await begin();
        await writer.write([put('a', 2, 1n)], at(1n));
        await drop(number);
        expect((await subject.store.generations(counters, LOG)).map((each) => each.number)).toEqual([1]);
        expect(await countOf('a')).toBe(1);
      });

      // The log was restored from a backup: it has the same name, but not the event at the checkpoint.
      it('can be dropped while live and read, and built again', async () => {
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

      // Operators name generations by number: a late order must not reach another generation.
      it('never get a number that another one had, even a dropped one', async () => {
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

      // Otherwise every start would rebuild everything, or undo an operator's choice.
      it('go on after a restart where they were, with the same one live', async () => {
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

      // After a failure the projector starts again in the same process: its old writer is still open, and must not matter.
      it('belong to the writer that opened them last', async () => {
        const first = await built(put('a', 1, 1n));
        const second = await subject.store.open(counters, 1);
        await second.write([put('a', 2, 2n)], at(2n));
        await first.close();
        await second.write([put('b', 2, 3n)], at(3n));
        subject.readers.refresh();
        expect([await countOf('a'), await countOf('b')]).toEqual([2, 2]);
      });

      // Its rows come from events that this log does not have.
      it('of another log are dropped, and their readers wait for the new one', async () => {
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

      // Changed fields without a new version would need columns or indexes that do not exist.
      it('with other fields are dropped', async () => {
        await built(put('a', 1, 1n));
        await restart();
        const changed: View<Counter> = { ...counters, fields: { ...counters.fields, more: value((row) => row.count) } };
        expect(await subject.store.generations(changed, LOG)).toEqual([]);
        subject.readers.refresh();
        await expect(subject.readers.reader(changed).get('a')).rejects.toBeInstanceOf(ViewNotReady);
      });

      // Without a journal an unfinished generation is worthless; with one, the projector need not repeat an hour's work.
      it('that a restart interrupted are dropped, or go on from their checkpoint', async () => {
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
      it('of different versions and views stay apart', async () => {
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

      // An upgrade leaves the rows of the version before: without this, each upgrade would leave more of them.
      it('of versions before the one before are removed once a version is live', async () => {
        const versions = [1, 2, 11].map((version) => ({ ...counters, version }));
        const other = { ...counters, name: 'counters.v1' };
        for (const view of [other, ...versions]) {
          const { number, writer } = await begin(view);
          await writer.write([put('a', view.version, 1n)], at(1n));
          await writer.finish();
          if (view.version === 11) {
            expect(await subject.store.generations(view, LOG)).toMatchObject([{ finished: true, live: false }]);
            expect(await kept()).toEqual([true, true, false, true]);
          }
          await subject.store.promote(view, number);
        }
        await restart();
        expect(await subject.store.generations({ ...counters, version: 11 }, LOG)).toMatchObject([{ live: true }]);
        expect(await kept()).toEqual([false, true, true, true]);

        /** Whether each version, and the other view, has a generation. */
        async function kept(): Promise<readonly boolean[]> {
          const found: boolean[] = [];
          for (const view of [...versions, other]) {
            subject.readers.refresh();
            found.push(await isReadable(view));
          }
          return found;
        }
        function isReadable(view: View): Promise<boolean> {
          return subject.readers
            .reader(view)
            .get('a')
            .then(
              () => true,
              (error: unknown) => {
                expect(error).toBeInstanceOf(ViewNotReady);
                return false;
              },
            );
        }
      });
    });

    viewQueryContract(() => subject, lacks);
  });
}
