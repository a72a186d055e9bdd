import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MongoDbDatabase } from '../../../../test/support/mongodb/mongodb-database.js';
import { startMongoDb } from '../../../../test/support/mongodb/mongodb-server.js';
import type { RowDocument } from './row-document.js';
import { Tombstones } from './tombstones.js';

const server = await startMongoDb();

(server === undefined ? describe.skip : describe)('tombstones', () => {
  let database: MongoDbDatabase;

  beforeEach(() => {
    database = new MongoDbDatabase(server ?? { url: '' });
  });
  afterEach(() => database.dispose());
  afterAll(() => server?.stop());

  // A replaced writer may have a write under way that would bring the row back; later the tombstone only costs room.
  it('go a minute later, except for rows that exist again', async () => {
    let now = 0;
    const rows = (await database.connect()).collection<RowDocument>('rows');
    const documents: RowDocument[] = ['a', 'b', 'c'].map((_id) => ({ _id, position: 1n }));
    await rows.insertMany(documents);
    const keys = async (): Promise<string> =>
      (await rows.find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id).join('');

    const tombstones = new Tombstones(rows, () => now);
    tombstones.add(documents.slice(0, 2));
    now = 59_999;
    await tombstones.clear();
    expect(await keys()).toBe('abc');
    await rows.replaceOne({ _id: 'b' }, { position: 2n, row: '{}', f: {} });
    now = 60_000;
    await tombstones.clear();
    expect(await keys()).toBe('bc');

    const next = new Tombstones(rows, () => now);
    next.add(await next.existing());
    now = 120_000;
    await next.clear();
    expect(await keys()).toBe('b');
  });
});
