import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type MongoDb,
  MongoDbFollowedRows,
  MongoDbIdempotencyRecords,
  MongoDbKeyStore,
  MongoDbVault,
} from '#adapters/mongodb';
import { thisMachine } from '#adapters/machine';
import { ROW_KINDS, type StateLine } from '#backup';
import { Keyring } from '#eventsourcing';
import { arrivingLate } from '../../../../test/support/mongodb/arrive-twice.js';
import { MongoDbDatabase } from '../../../../test/support/mongodb/mongodb-database.js';
import { startMongoDb } from '../../../../test/support/mongodb/mongodb-server.js';

const server = await startMongoDb();
const keyring = Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness);
const record = { credential: 'partner:acme', key: 'order' };
const COLLECTIONS = ['person_keys', 'vault', 'idempotency_records'];

const storesOf = (mongo: MongoDb) => ({
  keys: new MongoDbKeyStore(mongo, keyring),
  vault: new MongoDbVault(mongo, keyring),
  records: new MongoDbIdempotencyRecords(mongo, keyring),
});

afterAll(() => server?.stop());

(server === undefined ? describe.skip : describe)('G12.2: what has changed in MongoDB', () => {
  let database: MongoDbDatabase;
  let mongo: MongoDb;
  let rows: MongoDbFollowedRows;

  beforeEach(async () => {
    database = new MongoDbDatabase(server ?? { url: '' });
    mongo = await database.connect();
    rows = new MongoDbFollowedRows(await database.connect());
  });
  afterEach(() => database.dispose());

  const changed = async (): Promise<readonly StateLine[]> => (await rows.changes('begun')).lines ?? [];
  const marked = async (): Promise<number> => {
    const all = await Promise.all(COLLECTIONS.map((each) => database.documents(each)));
    return all.flat().filter((document) => document['changed'] !== undefined).length;
  };

  it('is each changed row, as it is now, once', async () => {
    const { keys, vault, records } = storesOf(mongo);
    await keys.obtain('before');
    await rows.changes(undefined);
    expect([await changed(), await marked()]).toEqual([[], 0]);
    await keys.obtain('ann');
    await vault.put('card', Buffer.from('4242'));
    await vault.put('card', Buffer.from('1881'));
    await vault.put('gone', Buffer.from('1'));
    await vault.destroy('gone');
    await records.begin(record, 'f', 'command', 1);
    await records.keep(record, Buffer.from('yes'), 1);
    expect(await changed()).toEqual([
      expect.objectContaining({ kind: 'key', person: 'ann' }),
      expect.objectContaining({ kind: 'secret', name: 'card' }),
      { kind: 'secret', name: 'gone', sealed: null, key: 0 },
      expect.objectContaining({ kind: 'answer', state: 'done', command_id: 'command' }),
    ]);
    expect([await changed(), await marked()]).toEqual([[], 0]);
  });

  // An erasure, a renewal and a freed record change rows that a backup has already.
  it.each([
    ['a destroyed key', 'key', ({ keys }: Stores) => keys.destroy('ann')],
    ['a destroyed secret', 'secret', ({ vault }: Stores) => vault.destroy('card')],
    ['a renewed record', 'answer', ({ records }: Stores) => records.renew(record, 2)],
    ['a freed record', 'answer', ({ records }: Stores) => records.free(record)],
    ['a record that runs again', 'answer', ({ records }: Stores) => records.begin(record, 'f', 'other', 1e12)],
    [
      'an answer that shows an erased person',
      'answer',
      async ({ records }: Stores) => {
        await records.keep(record, Buffer.from('yes'), 1, 'ann');
        await changed();
        await records.erase('ann');
      },
    ],
  ] as const)('G12.2: %s is a change', async (_, kind, change) => {
    const stores = storesOf(mongo);
    await stores.keys.obtain('ann');
    await stores.vault.put('card', Buffer.from('4242'));
    await stores.records.begin(record, 'f', 'command', 1);
    await rows.changes(undefined);
    await change(stores);
    expect(await changed()).toEqual([expect.objectContaining({ kind })]);
    expect(await marked()).toBe(0);
  });

  it('has a write that arrives when its caller has given up, and everybody has gone on', async () => {
    await rows.changes(undefined);
    const late = arrivingLate(mongo);
    await storesOf(late.mongo)
      .keys.obtain('ann')
      .catch(() => undefined);
    await storesOf(mongo).keys.obtain('bob');
    expect(await changed()).toEqual([expect.objectContaining({ person: 'bob' })]);
    await late.again();
    expect(await changed()).toEqual([expect.objectContaining({ person: 'ann' })]);
  });

  it('a row that changes while its part is read keeps its mark', async () => {
    const { vault } = storesOf(mongo);
    await rows.changes(undefined);
    await vault.put('card', Buffer.from('4242'));
    const [first] = await database.documents('vault');
    const busy = new MongoDbFollowedRows(
      await betweenReadAndWrite(database, () => vault.put('card', Buffer.from('1881'))),
    );
    const { lines = [] } = await busy.changes('begun');
    expect(lines).toEqual([expect.objectContaining({ sealed: sealedOf(first) })]);
    const [second] = await database.documents('vault');
    expect(await changed()).toEqual([expect.objectContaining({ sealed: sealedOf(second) })]);
  });

  it('comes in parts, and all of it', async () => {
    await rows.changes(undefined);
    const { vault } = storesOf(mongo);
    for (let part = 0; part < 25; part += 1)
      await Promise.all(
        Array.from({ length: 100 }, (_, nth) => vault.put(`card-${part}-${nth}`, Buffer.from(`${nth}`))),
      );
    const names = new Set<string>();
    const parts: boolean[] = [];
    do {
      const { lines = [], more } = await rows.changes('begun');
      for (const line of lines) if (line.kind === 'secret') names.add(line.name);
      parts.push(more);
    } while (parts.at(-1) === true);
    expect([names.size, parts]).toEqual([2_500, [true, true, false]]);
  });

  it('a first copy has the rows that an earlier version has written, without marks', async () => {
    const { keys, vault } = storesOf(mongo);
    await keys.obtain('ann');
    await vault.put('card', Buffer.from('4242'));
    for (const name of COLLECTIONS) await mongo.collection(name).updateMany({}, { $unset: { changed: '' } });
    await rows.changes(undefined);
    const parts = await Promise.all(ROW_KINDS.map((kind) => rows.rows(kind, undefined)));
    expect(parts.flatMap(({ lines }) => lines.map(({ kind }) => kind))).toEqual(['key', 'secret']);
  });
});

type Stores = ReturnType<typeof storesOf>;

const sealedOf = (document: Readonly<Record<string, unknown>> | undefined): string => {
  const { sealed } = document as { readonly sealed: { value(): Uint8Array } };
  return Buffer.from(sealed.value()).toString('base64');
};

/** A connection that does something else before each write of many. */
async function betweenReadAndWrite(database: MongoDbDatabase, meanwhile: () => Promise<unknown>): Promise<MongoDb> {
  const mongo = await database.connect();
  const proxied = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          const call = (): unknown => Reflect.apply(member, target, args);
          if (name === 'collection') return proxied(call() as object);
          return name === 'bulkWrite' ? meanwhile().then(call) : call();
        };
      },
    });
  return proxied(mongo);
}
