import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Collection } from 'mongodb';
import { Unavailable } from '#eventsourcing';
import { MongoDbDatabase } from '../../../../test/support/mongodb/mongodb-database.js';
import { startMongoDb } from '../../../../test/support/mongodb/mongodb-server.js';
import { writeGuarded } from './guarded-writes.js';
import type { RowDocument } from './row-document.js';

const server = await startMongoDb();

(server === undefined ? describe.skip : describe)('guarded writes', () => {
  let database: MongoDbDatabase;
  let rows: Collection<RowDocument>;

  beforeEach(async () => {
    database = new MongoDbDatabase(server ?? { url: '' });
    rows = (await database.connect()).collection<RowDocument>('rows');
  });
  afterEach(() => database.dispose());
  afterAll(() => server?.stop());

  const document = (_id: string, position: bigint, row: string): RowDocument => ({ _id, position, row, f: {} });

  /** The rows; another writer changes some of them after the first read. */
  const changedMeanwhile = (change: () => Promise<unknown>): Collection<RowDocument> => {
    let asked = false;
    return new Proxy(rows, {
      get(target, name) {
        if (name === 'bulkWrite' && !asked) {
          asked = true;
          return async (...args: Parameters<typeof rows.bulkWrite>) => {
            await change();
            return target.bulkWrite(...args);
          };
        }
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  };

  const stored = async (): Promise<string> =>
    (await rows.find().sort({ _id: 1 }).toArray()).map(({ _id, row }) => `${_id} ${row}`).join(', ');

  // Two writers overlap for a moment when a lease changes hands. Each row ends in its newest state, and no row is left out.
  it('a row that another writer inserts meanwhile is overwritten if it is older, and left if it is newer', async () => {
    const racing = changedMeanwhile(() => rows.insertMany([document('a', 1n, 'theirs'), document('c', 9n, 'theirs')]));
    await writeGuarded(
      racing,
      ['a', 'b', 'c', 'd'].map((key) => document(key, 5n, 'ours')),
    );
    expect(await stored()).toBe('a ours, b ours, c theirs, d ours');
  });

  // A tombstone that was seen is deleted: the row must be inserted, not updated.
  it('a row that is deleted meanwhile is still written', async () => {
    await rows.insertMany([document('a', 1n, 'before'), document('b', 1n, 'before')]);
    const racing = changedMeanwhile(() => rows.deleteOne({ _id: 'a' }));
    await writeGuarded(racing, [document('a', 5n, 'ours'), document('b', 5n, 'ours')]);
    expect(await stored()).toBe('a ours, b ours');
  });

  // The projector waited for such an answer for as long as the system kept the connection: minutes in which no view moved.
  it.each(['find', 'bulkWrite'] as const)(
    'a connection that fell silent at %s is given up, and the next try writes',
    async (at) => {
      let silent = true;
      const line = new Proxy(rows, {
        get(target, name) {
          const never = (): object => ({ toArray: () => new Promise(() => undefined), then: () => undefined });
          if (silent && name === at) return never;
          const member: unknown = Reflect.get(target, name);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
      await expect(writeGuarded(line, [document('a', 5n, 'ours')], undefined, 50)).rejects.toBeInstanceOf(Unavailable);
      silent = false;
      await writeGuarded(line, [document('a', 5n, 'ours')]);
      expect(await stored()).toBe('a ours');
    },
  );

  // The projector has just loaded the rows that it writes.
  it('a writer that knows which rows exist reads nothing, unless that was true no more', async () => {
    await rows.insertMany([document('a', 1n, 'before'), document('b', 9n, 'newer')]);
    let reads = 0;
    const counted = new Proxy(rows, {
      get(target, name) {
        if (name === 'find') reads += 1;
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const known = new Map([
      ['a', 1n],
      ['b', 9n],
    ]);
    await writeGuarded(
      counted,
      ['a', 'b', 'c'].map((key) => document(key, 5n, 'ours')),
      known,
    );
    expect([await stored(), reads]).toEqual(['a ours, b newer, c ours', 0]);
    await rows.insertOne(document('d', 8n, 'theirs'));
    await writeGuarded(counted, [document('d', 7n, 'ours'), document('e', 7n, 'ours')], new Map());
    expect([await stored(), reads]).toEqual(['a ours, b newer, c ours, d theirs, e ours', 1]);
  });

  it('more rows than one write holds are all written', async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => document(`k${index}`, 5n, 'ours'));
    await writeGuarded(rows, many);
    expect(await rows.countDocuments()).toBe(2_500);
  });

  it('a row that becomes newer meanwhile is left as it is, and the others are written', async () => {
    await rows.insertMany(['a', 'b', 'c'].map((key) => document(key, 1n, 'before')));
    const newer = { $set: { position: 9n, row: 'theirs' } };
    const racing = changedMeanwhile(() => rows.updateOne({ _id: 'a' }, newer));
    await writeGuarded(
      racing,
      ['a', 'b', 'c'].map((key) => document(key, 5n, 'ours')),
    );
    expect(await stored()).toBe('a theirs, b ours, c ours');
  });
});
