import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { defineView, type Position, value, type View } from '#kernel';
import { MongoDbViewReaders, MongoDbViewStore, seenByViews } from '#adapters/mongodb';
import {
  type Checkpoint,
  eq,
  everything,
  ne,
  or,
  type RowChange,
  type SeenByView,
  Unavailable,
  ViewNotReady,
  type ViewWriter,
} from '#eventsourcing';
import { viewStoreContract, type ViewStoreSubject } from '../../../../test/contracts/view-store.contract.js';
import { arrivingLate, arrivingTwice, type KeptRequests } from '../../../../test/support/mongodb/arrive-twice.js';
import { MongoDbDatabase } from '../../../../test/support/mongodb/mongodb-database.js';
import { type MongoDbServer, startMongoDb } from '../../../../test/support/mongodb/mongodb-server.js';

const server = await startMongoDb();

async function openIn(database: MongoDbDatabase): Promise<ViewStoreSubject> {
  const mongo = await database.connect();
  const store = new MongoDbViewStore(mongo);
  const readers = new MongoDbViewReaders(mongo);
  const close = async (): Promise<void> => {
    await readers.close();
    await store.close();
    await mongo.close();
  };
  return {
    store,
    readers,
    async reopen() {
      await close();
      return openIn(database);
    },
    async close() {
      await close();
      await database.dispose();
    },
  };
}

if (server === undefined) {
  describe('view store: MongoDB', () => it.skip('no server is available here', () => undefined));
} else {
  afterAll(() => server.stop());
  viewStoreContract(`MongoDB (${server.name})`, () => openIn(new MongoDbDatabase(server)), server.lacks);
  ownCases(server);
}

interface Counter {
  readonly count: number;
}

const counters: View<Counter> = defineView<Counter, never, 'count'>({
  name: 'counters',
  version: 1,
  key: () => [],
  on: {},
  fields: { count: value((row) => row.count) },
  indexes: [['count']],
});

const at = (position: Position): Checkpoint => ({ log: 'log', position, event: `event-${position}` });
const put = (key: string, count: number, position: Position): RowChange => ({ key, row: { count }, position });
const removal = (key: string, position: Position): RowChange => ({ key, row: undefined, position });

function ownCases(there: MongoDbServer): void {
  describe(`views on MongoDB (${there.name})`, () => {
    let database: MongoDbDatabase;
    let store: MongoDbViewStore;
    let readers: MongoDbViewReaders;
    const opened: MongoDbViewStore[] = [];

    const open = async (): Promise<MongoDbViewStore> => {
      const another = new MongoDbViewStore(await database.connect());
      opened.push(another);
      return another;
    };

    beforeEach(async () => {
      database = new MongoDbDatabase(there);
      store = await open();
      readers = new MongoDbViewReaders(await database.connect());
    });

    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close();
      await database.dispose();
    });

    const built = async (...changes: readonly RowChange[]): Promise<{ number: number; writer: ViewWriter }> => {
      const { number, writer } = await store.begin(counters, 'log');
      await writer.write(changes, at(changes.at(-1)?.position ?? 0n));
      await writer.finish();
      await store.promote(counters, number);
      return { number, writer };
    };

    const counts = async (): Promise<Record<string, number>> => {
      readers.refresh();
      const rows = await readers.reader(counters).find({ where: everything, sort: [], page: 1, perPage: 100 });
      return Object.fromEntries(rows.map(({ key, row }) => [key, row.count]));
    };

    // Each process compares the furthest of them with the log.
    it('says how far the kept generations of a log have come', async () => {
      const mongo = await database.connect();
      const seen = (): Promise<readonly SeenByView[]> => seenByViews(mongo, [counters], 'log');
      expect(await seen()).toEqual([]);
      const { number } = await built(put('a', 1, 1n));
      const { writer } = await store.begin(counters, 'log');
      expect(await seen()).toEqual([{ view: 'counters', checkpoint: at(1n) }]);
      await writer.write([put('a', 1, 2n ** 62n)], at(2n ** 62n));
      const another = await store.begin(counters, 'another log');
      await another.writer.write([], { ...at(9n), log: 'another log' });
      expect(await seen()).toEqual([at(1n), at(2n ** 62n)].map((checkpoint) => ({ view: 'counters', checkpoint })));
      expect(await seenByViews(mongo, [{ ...counters, indexes: [] }], 'log')).toEqual([]);
      expect(await seenByViews(mongo, [{ ...counters, version: 2 }], 'log')).toEqual([]);
      await store.drop(counters, number);
      expect(await seen()).toEqual([{ view: 'counters', checkpoint: at(2n ** 62n) }]);
    });

    // Its checkpoint would be gone, and readers would find no finished generation.
    it('what began a generation changes nothing when it arrives again', async () => {
      const { mongo, again } = arrivingTwice(await database.connect(), ['updateOne']);
      const beginning = new MongoDbViewStore(mongo);
      opened.push(beginning);
      const { number } = await beginning.begin(counters, 'log');
      const writer = await store.open(counters, number);
      await writer.write([put('a', 1, 1n)], at(1n));
      await writer.finish();
      const standing = await database.documents('views');
      await again();
      expect(await database.documents('views')).toEqual(standing);
    });

    /** A second finished generation beside the live one, and a store whose changes of standings are kept. */
    const twoGenerations = async (keep: typeof arrivingTwice): Promise<KeptRequests & { store: MongoDbViewStore }> => {
      await built(put('a', 1, 1n));
      const { writer } = await store.begin(counters, 'log');
      await writer.write([put('a', 2, 1n)], at(1n));
      await writer.finish();
      const kept = keep(await database.connect(), ['updateOne']);
      const keeping = new MongoDbViewStore(kept.mongo);
      opened.push(keeping);
      return { ...kept, store: keeping };
    };

    // The view would go back, or have no live generation when the operator has dropped the older one meanwhile.
    it('a promotion that arrives again, after another one, changes nothing', async () => {
      const { store: promoting, again } = await twoGenerations(arrivingTwice);
      await promoting.promote(counters, 2);
      expect(await counts()).toEqual({ a: 2 });
      await store.promote(counters, 1);
      const standing = await database.documents('views');
      await again();
      expect(await database.documents('views')).toEqual(standing);
      expect(await counts()).toEqual({ a: 1 });
    });

    it('a promotion or a drop that arrives late, after another promotion, changes nothing', async () => {
      const { store: late, again } = await twoGenerations(arrivingLate);
      await expect(late.drop(counters, 1)).rejects.toBeInstanceOf(Unavailable);
      await expect(late.promote(counters, 2)).rejects.toBeInstanceOf(Unavailable);
      await store.promote(counters, 2);
      await store.promote(counters, 1);
      const standing = await database.documents('views');
      await again();
      expect(await database.documents('views')).toEqual(standing);
      expect(await counts()).toEqual({ a: 1 });
    });

    // A projector that starts has just asked which one is live, and goes by the answer for as long as it runs.
    it.each(['promote', 'drop'] as const)(
      'a `%s` that arrives late, after a projector has asked for the generations, changes nothing',
      async (change) => {
        const { store: late, again } = await twoGenerations(arrivingLate);
        await expect(late[change](counters, 2)).rejects.toBeInstanceOf(Unavailable);
        const known = await store.generations(counters, 'log');
        expect(known).toMatchObject([{ number: 1, live: true }, { number: 2 }]);
        await again();
        expect(await store.generations(counters, 'log')).toEqual(known);
        expect(await counts()).toEqual({ a: 1 });
        await store[change](counters, 2);
        expect(await store.generations(counters, 'log')).not.toEqual(known);
      },
    );

    // A worker stood still while it carried out an order, and another one has taken over since.
    it.each(['promote', 'drop'] as const)(
      '`%s` is refused after another projector has asked for the generations',
      async (change) => {
        const { store: before } = await twoGenerations(arrivingTwice);
        await before.generations(counters, 'log');
        const known = await store.generations(counters, 'log');
        await expect(before[change](counters, 2)).rejects.toThrow('another process has asked');
        expect(await store.generations(counters, 'log')).toEqual(known);
        expect(await counts()).toEqual({ a: 1 });
        await before.generations(counters, 'log');
        await before[change](counters, 2);
        await before.drop(counters, 1);
        expect(await before.generations(counters, 'log')).toHaveLength(change === 'promote' ? 1 : 0);
      },
    );

    // A lease that changed hands while its holder stood still: both have the same events, and the older one must change
    // nothing.
    it('a replaced writer is refused, and its late writes change nothing', async () => {
      const { number, writer: before } = await built(put('a', 1, 1n));
      const after = await (await open()).open(counters, number);
      await after.write([put('a', 2, 2n), put('b', 2, 3n), removal('c', 4n)], at(4n));
      await expect(before.write([put('a', 1, 1n), put('c', 1, 2n)], at(2n))).rejects.toThrow('somebody else');
      expect(await after.checkpoint()).toEqual(at(4n));
      expect(await counts()).toEqual({ a: 2, b: 2 });
    });

    // Both find the row missing and insert it; then each finds the row of the other.
    it('two concurrent writes end with the newest version of each row, in whatever order they arrive', async () => {
      const { writer } = await built(put('seed', 0, 1n));
      const rows = (from: bigint): RowChange[] =>
        Array.from({ length: 30 }, (_, index) => put(`k${index}`, Number(from) + index, from + BigInt(index)));
      await Promise.all([
        writer.write(rows(100n), at(200n)),
        writer.write(rows(300n), at(400n)),
        writer.write([removal('k3', 500n), removal('k29', 200n)], at(500n)),
      ]);
      const found = await counts();
      expect(found).toMatchObject({ k0: 300, k1: 301, k29: 329 });
      expect(Object.keys(found)).toHaveLength(30);
      expect((await writer.checkpoint())?.position).toBe(500n);
    });

    // The removal was written, the checkpoint was not: its event comes again, and older ones before it.
    it('a removed row stays removed when older events come again', async () => {
      const { writer } = await built(put('a', 1, 1n), put('b', 1, 2n));
      await writer.write([removal('a', 5n)], at(5n));
      await writer.write([put('a', 3, 3n), put('b', 4, 4n)], at(5n));
      expect(await counts()).toEqual({ b: 4 });
      expect((await writer.load(['a'])).size).toBe(0);
    });

    // It has neither fields nor a row: every condition that is true for missing fields would find it.
    it('no query finds the rest of a removed row', async () => {
      const { writer } = await built(put('a', 1, 1n), put('b', 7, 2n));
      await writer.write([removal('a', 3n)], at(3n));
      readers.refresh();
      const reader = readers.reader(counters);
      expect(await database.documents('counters.v1.g1')).toHaveLength(2);
      for (const where of [everything, ne('count', 2), or(eq('count', null), eq('count', 7))]) {
        expect(await reader.count(where)).toBe(1);
        expect(await reader.find({ where, sort: [], page: 1, perPage: 9 })).toHaveLength(1);
        expect(await reader.min('count', where)).toBe(7);
      }
      expect(await reader.min('count', eq('count', null))).toBeUndefined();
    });

    // A large build takes hours: what was written before the process ended is not written again.
    it('a build that broke off continues over rows written ahead of its checkpoint', async () => {
      const { number, writer } = await store.begin(counters, 'log');
      await writer.write([put('a', 1, 1n)], at(1n));
      // Rows without their checkpoint, as a kill leaves them.
      const rows = (await database.connect()).collection<{ _id: string }>(`counters.v1.g${number}`);
      await rows.insertOne({ _id: 'b', position: 3n, row: '{"count":3}', f: { count: 3 } } as { _id: string });
      const another = await open();
      expect(await another.generations(counters, 'log')).toEqual([
        { number, finished: false, live: false, checkpoint: at(1n) },
      ]);
      const again = await another.open(counters, number);
      await again.write([put('b', 2, 2n), put('c', 2, 2n)], at(2n));
      expect((await again.load(['b'])).get('b')?.position).toBe(3n);
      await again.write([put('b', 3, 3n)], at(3n));
      await again.finish();
      await another.promote(counters, number);
      expect(await counts()).toEqual({ a: 1, b: 3, c: 2 });
    });

    it('a checkpoint never goes back', async () => {
      const { writer } = await built(put('a', 1, 9n));
      await writer.write([], at(5n));
      expect(await writer.checkpoint()).toEqual(at(9n));
    });

    // Readers trust their knowledge for up to a second: the collection must exist that long.
    it('no read fails while generations are dropped, until none is live', async () => {
      await built(...Array.from({ length: 20 }, (_, index) => put(`k${index}`, 1, 1n)));
      const next = await store.begin(counters, 'log');
      await next.writer.write(
        Array.from({ length: 20 }, (_, index) => put(`k${index}`, 2, 1n)),
        at(1n),
      );
      await next.writer.finish();
      const ending = new AbortController();
      const seen = new Set<number>();
      const has = async (count: number): Promise<void> => {
        while (!seen.has(count)) await new Promise((resolve) => setTimeout(resolve, 5));
      };
      const reading = (async () => {
        while (!ending.signal.aborted) {
          const rows = await readers.reader(counters).find({ where: everything, sort: [], page: 1, perPage: 30 });
          expect(rows).toHaveLength(20);
          for (const { row } of rows) seen.add(row.count);
        }
      })();
      await has(1);
      await store.promote(counters, next.number);
      await store.drop(counters, 1);
      await (await open()).generations(counters, 'log');
      await has(2);
      ending.abort();
      await reading;
      expect([...seen].sort()).toEqual([1, 2]);
      await store.drop(counters, next.number);
      readers.refresh();
      await expect(readers.reader(counters).get('k1')).rejects.toBeInstanceOf(ViewNotReady);
    });

    // The next process removes what an ended one left.
    it('collections of dropped generations are removed ten seconds later, or when no document names them', async () => {
      const { number } = await built(put('a', 1, 1n));
      const mongo = await database.connect();
      await mongo.collection<{ _id: string }>('counters.v1.g77').insertOne({ _id: 'a' });
      await store.drop(counters, number);
      await store.generations(counters, 'log');
      expect(await mongo.collections('counters.v1.g')).toEqual(['counters.v1.g1']);
      const longAgo = { $set: { 'generations.g1.dropped': Date.now() - 10_001 } };
      await mongo.collection<{ _id: string }>('views').updateOne({ _id: 'counters.v1' }, longAgo);
      await store.generations(counters, 'log');
      expect(await mongo.collections('counters.v1.g')).toEqual([]);
      expect((await store.begin(counters, 'log')).number).toBe(2);
    });
  });
}
