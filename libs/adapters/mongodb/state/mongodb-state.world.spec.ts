import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type MongoDb,
  MongoDbKeyValueStore,
  MongoDbIdempotencyRecords,
  MongoDbKeyStore,
  MongoDbSealedRows,
  MongoDbVault,
  openMongoDbKeys,
} from '#adapters/mongodb';
import { thisMachine } from '#adapters/machine';
import { ANSWER_KEPT_FOR, FORMAT, Keyring, KEYS_ENTRY, RUNNING_FREES_AFTER } from '#eventsourcing';
import { keyValueStoreContract } from '../../../../test/contracts/key-value-store.contract.js';
import { idempotencyRecordsContract } from '../../../../test/contracts/idempotency-records.contract.js';
import { keyStoreContract } from '../../../../test/contracts/key-store.contract.js';
import { sealedRowsContract } from '../../../../test/contracts/sealed-rows.contract.js';
import { vaultContract } from '../../../../test/contracts/vault.contract.js';
import { arrivingLate, arrivingTwice } from '../../../../test/support/mongodb/arrive-twice.js';
import { MongoDbDatabase } from '../../../../test/support/mongodb/mongodb-database.js';
import { withNumberOne } from '../../../../test/support/rotated.js';
import { type MongoDbServer, startMongoDb } from '../../../../test/support/mongodb/mongodb-server.js';

const server = await startMongoDb();
const keyring = Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness);
/** What tells a backup that follows of a change: it says nothing of what the row was. */
const MARK: unknown = expect.stringMatching(/^[0-9a-f-]{36}\.\d+$/);

if (server === undefined) {
  describe('state on MongoDB', () => it.skip('no server is available here', () => undefined));
} else {
  afterAll(() => server.stop());
  const name = `MongoDB (${server.name})`;
  keyStoreContract(name, () => makeSubject(server, (mongo) => new MongoDbKeyStore(mongo, keyring)));
  vaultContract(name, () => makeSubject(server, (mongo) => new MongoDbVault(mongo, keyring)));
  keyValueStoreContract(name, () => makeSubject(server, (mongo) => new MongoDbKeyValueStore(mongo)));
  sealedRowsContract(name, async () => {
    const database = new MongoDbDatabase(server);
    return {
      async open(ring) {
        const mongo = await database.connect();
        return {
          keys: new MongoDbKeyStore(mongo, ring),
          vault: new MongoDbVault(mongo, ring),
          records: new MongoDbIdempotencyRecords(mongo, ring),
          rows: new MongoDbSealedRows(mongo),
        };
      },
      dispose: () => database.dispose(),
    };
  });
  idempotencyRecordsContract(name, () =>
    makeSubject(server, (mongo) => ({
      records: new MongoDbIdempotencyRecords(mongo, keyring),
      keys: new MongoDbKeyStore(mongo, keyring),
    })),
  );
  severalProcesses(server);
}

async function makeSubject<Store>(there: MongoDbServer, make: (mongo: MongoDb) => Store) {
  const database = new MongoDbDatabase(there);
  return {
    store: make(await database.connect()),
    reopen: async () => make(await database.connect()),
    dispose: () => database.dispose(),
  };
}

function severalProcesses(there: MongoDbServer): void {
  describe(`state on MongoDB (${there.name}), shared by processes`, () => {
    let database: MongoDbDatabase;
    let mongos: readonly MongoDb[];

    beforeEach(async () => {
      database = new MongoDbDatabase(there);
      mongos = [await database.connect(), await database.connect()];
    });
    afterEach(() => database.dispose());

    const T = 1_800_000_000_000;
    const order = { credential: 'partner:acme', key: 'order-1' };

    // A client that goes from one process to another must not buy twice.
    it.each([
      ['a new key', 'none', T],
      ['a key left by a crash', 'running', T + RUNNING_FREES_AFTER],
      ['a freed key', 'free', T],
      ['an expired key', 'done', T + ANSWER_KEPT_FOR],
    ])('A11: of 40 rivals for %s, in two processes, exactly one runs', async (_, state, now) => {
      const stores = mongos.map((mongo) => new MongoDbIdempotencyRecords(mongo, keyring));
      const [first] = stores;
      if (state !== 'none') await first?.begin(order, 'f', 'c0', T);
      if (state === 'free') await first?.free(order);
      if (state === 'done') await first?.keep(order, Buffer.from('yes'), T);
      const rivals = stores.flatMap((store) => Array.from({ length: 20 }, () => store));
      const begun = await Promise.all(rivals.map((store, index) => store.begin(order, 'f', `c${index + 1}`, now)));
      const ran = begun.filter(({ kind }) => kind === 'run');
      expect(ran).toHaveLength(1);
      expect(begun.filter(({ kind }) => kind === 'running')).toHaveLength(39);
      if (state === 'running' || state === 'free') expect(ran).toEqual([{ kind: 'run', commandId: 'c0' }]);
    });

    it('A11: expired answers are removed as new ones come', async () => {
      const [mongo] = mongos;
      if (mongo === undefined) throw new Error('no connection');
      const store = new MongoDbIdempotencyRecords(mongo, keyring);
      const begin = async (from: number, count: number, now: number): Promise<void> => {
        for (let index = from; index < from + count; index++) {
          await store.begin({ credential: 'c', key: `${index}` }, 'f', 'c', now);
        }
      };
      await begin(0, 100, T);
      await begin(100, 60, T + ANSWER_KEPT_FOR);
      const left = async (): Promise<number> => (await database.documents('idempotency_records')).length;
      while ((await left()) > 60) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await left()).toBe(60);
    });

    // One process erases a person when another one has just read their data.
    it('G12: a key that another process destroyed is used for at most 5 s', async () => {
      let now = 0;
      const [mine, theirs] = mongos.map((mongo) => new MongoDbKeyStore(mongo, keyring, () => now));
      const key = await mine?.obtain('ann');
      await theirs?.destroy('ann');
      now = 4_999;
      expect(await mine?.get('ann')).toEqual(key);
      now = 5_000;
      expect(await mine?.get('ann')).toBeUndefined();
      expect(await mine?.obtain('ann')).toBeUndefined();
    });

    it('rivals for one new person, in two processes, get one key', async () => {
      const stores = mongos.map((mongo) => new MongoDbKeyStore(mongo, keyring));
      const rivals = stores.flatMap((store) => Array.from({ length: 10 }, () => store));
      const keys = await Promise.all(rivals.map((store) => store.obtain('ann')));
      expect(new Set(keys.map((key) => key?.toString('hex'))).size).toBe(1);
    });

    describe('a secret', () => {
      const first = (): MongoDb => {
        const [mongo] = mongos;
        if (mongo === undefined) throw new Error('no connection');
        return mongo;
      };
      const vaults = (keep: typeof arrivingTwice) => {
        const { mongo, again } = keep(first());
        return { kept: new MongoDbVault(mongo, keyring), other: new MongoDbVault(first(), keyring), again };
      };
      const text = async (vault: MongoDbVault): Promise<string | undefined> => (await vault.get('card'))?.toString();

      // A renewed card would have its earlier expiry and ZIP again, and be declined.
      it.each([
        ['the first one', []],
        ['a later one', ['earlier']],
      ])('is not replaced by %s, whose request arrives again', async (_, before) => {
        const { kept, other, again } = vaults(arrivingTwice);
        for (const each of before) await other.put('card', Buffer.from(each));
        await kept.put('card', Buffer.from('old'));
        await other.put('card', Buffer.from('new'));
        await again();
        expect(await text(other)).toBe('new');
      });

      it('is not replaced by one whose request arrives when nobody waits for it any more', async () => {
        const { kept, other, again } = vaults(arrivingLate);
        await other.put('card', Buffer.from('earlier'));
        await expect(kept.put('card', Buffer.from('old'))).rejects.toMatchObject({ name: 'Unavailable' });
        await other.put('card', Buffer.from('new'));
        await again();
        expect(await text(other)).toBe('new');
      });

      it('stays destroyed, and one that was stored afterwards stays, when the requests before arrive again', async () => {
        const { kept, other, again } = vaults(arrivingTwice);
        await kept.put('card', Buffer.from('old'));
        await kept.destroy('card');
        await again();
        expect(await text(other)).toBeUndefined();
        await kept.put('card', Buffer.from('old'));
        await kept.destroy('card');
        await other.put('card', Buffer.from('new'));
        await again();
        expect(await text(other)).toBe('new');
      });

      // Both read the same count, and only one of them replaces it.
      it('that two processes store at once is one of theirs', async () => {
        const stores = mongos.map((mongo) => new MongoDbVault(mongo, keyring));
        const rivals = stores.flatMap((store, process) =>
          Array.from({ length: 10 }, (_, index) => store.put('card', Buffer.from(`${process} ${index}`))),
        );
        await Promise.all(rivals);
        expect(['0 9', '1 9']).toContain(await text(vaults(arrivingTwice).other));
      });
    });

    // A reader of the database sees no card: the collections hold only sealed bytes and names.
    it('D9 G12: neither a secret nor a key is in the database, and a destroyed one leaves nothing of itself', async () => {
      const [mongo] = mongos;
      if (mongo === undefined) throw new Error('no connection');
      const [vault, keys] = [new MongoDbVault(mongo, keyring), new MongoDbKeyStore(mongo, keyring)];
      await vault.put('card', Buffer.from('4242424242424242'));
      const key = await keys.obtain('ann');
      const text = async (): Promise<string> =>
        JSON.stringify([await database.documents('vault'), await database.documents('person_keys')]);
      expect(await text()).not.toContain(Buffer.from('4242424242424242').toString('base64').slice(0, 16));
      expect(await text()).not.toContain(key?.toString('base64').slice(0, 16));
      await Promise.all([vault.destroy('card'), keys.destroy('ann')]);
      expect(await database.documents('vault')).toEqual([{ _id: 'card', sealed: null, count: 2, changed: MARK }]);
      expect(await database.documents('person_keys')).toEqual([{ _id: 'ann', wrapped: null, changed: MARK }]);
    });

    describe('the keys', () => {
      const master =
        (byte = 1) =>
        (): Buffer =>
          Buffer.alloc(32, byte);
      const hashOf = (keys: Keyring): string => keys.hash('e-mail', 'ann@example.org');
      const [one, two] = [0, 1].map((index) => (): MongoDb => {
        const mongo = mongos[index];
        if (mongo === undefined) throw new Error('no connection');
        return mongo;
      }) as [() => MongoDb, () => MongoDb];

      const opened = async (mongo: MongoDb): Promise<Keyring> => (await openMongoDbKeys(mongo, master())).keyring;

      // Two processes that start together on a new database must not seal with two sets of keys.
      it('are made by one of two processes, and read by the other', async () => {
        const rivals = await Promise.all([one(), two(), one(), two()].map(opened));
        expect(new Set(rivals.map(hashOf)).size).toBe(1);
        const [mine, theirs] = rivals as [Keyring, Keyring];
        expect(theirs.unwrap('a', mine.wrap('a', Buffer.from('x'))).toString()).toBe('x');
        expect(hashOf(await opened(two()))).toBe(hashOf(mine));
        expect(hashOf(mine)).not.toBe(hashOf(Keyring.of(master()(), thisMachine.randomness)));
      });

      it.each([
        ['of the first format', '1', 'it has the format 1'],
        ['of a later format', '2', 'it has the format 2'],
        ['that names no format', undefined, 'it names no format'],
      ])('G9: refuse a database %s by name, and write nothing', async (_, format, words) => {
        await openMongoDbKeys(one(), master());
        const keyValues = new MongoDbKeyValueStore(one());
        const facts = one().collection<{ _id: string }>('facts');
        if (format === undefined) await facts.deleteOne({ _id: 'format' });
        else await keyValues.replace('format', FORMAT, format);
        const all = async (): Promise<unknown> => [await one().collections(''), await database.documents('facts')];
        const before = await all();
        const refusal = `the database of MONGODB_URL was written by another build of Holdfast: ${words}`;
        await expect(openMongoDbKeys(two(), master())).rejects.toThrow(refusal);
        expect(await all()).toEqual(before);
        if (format === undefined) return;
        // Nor if it names nothing else: another build may keep its keys elsewhere.
        await facts.deleteOne({ _id: KEYS_ENTRY });
        await expect(openMongoDbKeys(two(), master())).rejects.toThrow(refusal);
      });

      it('refuse a database that was written with another master key', async () => {
        await openMongoDbKeys(one(), master());
        await expect(openMongoDbKeys(two(), master(2))).rejects.toThrow(
          'the database of MONGODB_URL was written with another MASTER_KEY',
        );
      });

      // A dropped database beside a log: new keys would make it another shop.
      it('are never made beside a log or with secrets, and nothing is written', async () => {
        await expect(openMongoDbKeys(one(), master(), 'the log exists')).rejects.toThrow(
          'has no keys, but the log exists',
        );
        expect(await one().collections('')).toEqual([]);
        await new MongoDbVault(one(), keyring).put('card', Buffer.from('4242'));
        await expect(openMongoDbKeys(two(), master())).rejects.toThrow('has no keys, but it holds sealed secrets');
        expect(await one().collections('')).toEqual(['vault']);
      });

      it('open data sealed under the numbers 0 and 1, each by its stored number', async () => {
        const first = await opened(one());
        const keyValues = new MongoDbKeyValueStore(one());
        const text = (await keyValues.get(KEYS_ENTRY)) ?? '';
        const later = { credential: 'partner:acme', key: 'order-2' };
        const stores = (mongo: MongoDb, keys: Keyring) => ({
          keys: new MongoDbKeyStore(mongo, keys),
          vault: new MongoDbVault(mongo, keys),
          records: new MongoDbIdempotencyRecords(mongo, keys),
        });
        const old = stores(one(), first);
        const ann = await old.keys.obtain('ann');
        await old.vault.put('card', Buffer.from('4242'));
        await old.records.begin(order, 'f', 'c', T);
        await old.records.keep(order, Buffer.from('yes'), T);
        await keyValues.replace(KEYS_ENTRY, text, withNumberOne(text, master()()));
        const young = stores(two(), await opened(two()));
        const bob = await young.keys.obtain('bob');
        await young.vault.put('other', Buffer.from('1881'));
        await young.records.begin(later, 'f', 'c', T);
        await young.records.keep(later, Buffer.from('no'), T);
        const { keys, vault, records } = stores(one(), await opened(one()));
        expect([await keys.get('ann'), await keys.get('bob')]).toEqual([ann, bob]);
        expect([String(await vault.get('card')), String(await vault.get('other'))]).toEqual(['4242', '1881']);
        expect(await records.begin(order, 'f', 'c', T)).toEqual({ kind: 'kept', answer: Buffer.from('yes') });
        expect(await records.begin(later, 'f', 'c', T)).toEqual({ kind: 'kept', answer: Buffer.from('no') });
        const numbers = await Promise.all(
          ['person_keys', 'vault', 'idempotency_records'].map(async (of) =>
            (await database.documents(of)).map(({ key }) => Number(key)).sort(),
          ),
        );
        expect(numbers).toEqual(numbers.map(() => [0, 1]));
      });
    });
  });
}
