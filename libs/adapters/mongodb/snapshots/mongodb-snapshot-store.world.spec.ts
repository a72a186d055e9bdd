import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type MongoDb, MongoDbSnapshotStore } from '#adapters/mongodb';
import { snapshotOf, snapshotStoreContract } from '../../../../test/contracts/snapshot-store.contract.js';
import { MongoDbDatabase } from '../../../../test/support/mongodb/mongodb-database.js';
import { type MongoDbServer, startMongoDb } from '../../../../test/support/mongodb/mongodb-server.js';

const server = await startMongoDb();

if (server === undefined) {
  describe('snapshots on MongoDB', () => it.skip('no server is available here', () => undefined));
} else {
  afterAll(() => server.stop());
  snapshotStoreContract(`MongoDB (${server.name})`, async () => {
    const database = new MongoDbDatabase(server);
    return {
      store: new MongoDbSnapshotStore(await database.connect()),
      reopen: async () => new MongoDbSnapshotStore(await database.connect()),
      dispose: () => database.dispose(),
    };
  });
  pieces(server);
}

function pieces(there: MongoDbServer): void {
  describe(`the pieces of snapshots on MongoDB (${there.name})`, () => {
    const large = { parts: [Buffer.alloc(2_500_000, 'large')] };
    let database: MongoDbDatabase;
    let mongo: MongoDb;
    let store: MongoDbSnapshotStore;

    beforeEach(async () => {
      database = new MongoDbDatabase(there);
      mongo = await database.connect();
      store = new MongoDbSnapshotStore(mongo);
    });
    afterEach(() => database.dispose());

    const all = () => mongo.collection<{ _id: string }>('snapshot_pieces');

    it('have at most 1 MiB each, and none of an earlier writing stay', async () => {
      await store.put(snapshotOf('tally-a', 'aa', large));
      await store.put(snapshotOf('tally-b', 'aa', large));
      await store.put(snapshotOf('tally-a', 'aa', large));
      expect(await all().countDocuments()).toBe(6);
      await store.delete(snapshotOf('tally-a', 'aa'));
      expect(await all().countDocuments()).toBe(3);
      expect(await store.get(snapshotOf('tally-b', 'aa'))).toBeDefined();
    });

    it('of one of several writers at once are there, and no others: processes are stopped together', async () => {
      const writers = await Promise.all([1, 2, 3].map(async () => new MongoDbSnapshotStore(await database.connect())));
      for (let revision = 1; revision <= 20; revision += 1) {
        const snapshots = writers.map((_, nth) =>
          snapshotOf('tally-a', 'aa', { ...large, revision: 10 * revision + nth }),
        );
        await Promise.all(writers.map((writer, nth) => writer.put(snapshots[nth] ?? snapshotOf('tally-a', 'aa'))));
        const kept = await store.get(snapshotOf('tally-a', 'aa'));
        expect(snapshots.map((each) => each.revision)).toContain(kept?.revision);
        expect(await all().countDocuments()).toBe(3);
      }
    });

    it('whose writer ended before it wrote the head go with a later writing, an hour later', async () => {
      const heads = mongo.collection('snapshots');
      await store.put(snapshotOf('tally-a', 'aa', large));
      await heads.deleteMany({});
      await store.put(snapshotOf('tally-a', 'aa', large));
      expect(await all().countDocuments()).toBe(6);
      await all().updateMany({}, { $inc: { at: -3_600_001 } });
      await store.put(snapshotOf('tally-a', 'aa', large));
      expect(await all().countDocuments()).toBe(3);
      expect(await store.get(snapshotOf('tally-a', 'aa'))).toBeDefined();
    });

    it('are a snapshot only if all are there', async () => {
      const snapshot = snapshotOf('tally-a', 'aa', large);
      await store.put(snapshot);
      const second = (await all().find().toArray()).find(({ _id }) => _id.includes('/1/'));
      await all().deleteOne({ _id: second?._id ?? '' });
      expect(await store.get(snapshot)).toBeUndefined();
    });
  });
}
