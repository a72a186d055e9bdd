import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedViewReaders, EmbeddedViewStore } from '#adapters/embedded';
import { and, eq, following, gte, lt, type Query, type ViewReader } from '#eventsourcing';
import { defineView, value } from '#kernel';

interface Row {
  readonly number: number;
  readonly colour: string;
  readonly size: number;
}

type Fields = 'number' | 'colour' | 'size';

const view = defineView<Row, { readonly type: 'seen.v1'; readonly data: object }, Fields>({
  name: 'examined',
  version: 1,
  key: ({ stream }) => stream,
  on: { 'seen.v1': (row) => row },
  fields: { number: value((row) => row.number), colour: value((row) => row.colour), size: value((row) => row.size) },
  indexes: [['colour']],
  orders: [
    { by: ['number'], covers: [] },
    { by: [{ descending: 'number' }], covers: [] },
  ],
});

describe('the rows that a query may look at', () => {
  let folder: string;
  let store: EmbeddedViewStore;
  let readers: EmbeddedViewReaders;
  let reader: ViewReader<Row, Fields>;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-views-'));
    store = EmbeddedViewStore.open(folder);
    readers = EmbeddedViewReaders.open(folder);
    const { number, writer } = await store.begin(view, 'log');
    const changes = Array.from({ length: 20 }, (_, index) => ({
      key: `k${index}`,
      row: { number: index, colour: index === 19 ? 'red' : 'blue', size: index === 19 ? 2 : 1 },
      position: BigInt(index + 1),
    }));
    await writer.write(changes, { log: 'log', position: 20n, event: 'event' });
    await writer.finish();
    await store.promote(view, number);
    reader = readers.reader(view);
  });
  afterEach(async () => {
    await readers.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const inOrder: Query<Fields> = {
    where: lt('number', 100),
    sort: [{ field: 'number', descending: false }],
    page: 1,
    perPage: 5,
  };
  const tooCostly = { code: 'list_too_costly', message: expect.stringContaining('more than') };

  const costs = async (query: typeof inOrder, rows: number): Promise<void> => {
    for (const read of ['find', 'versions'] as const) {
      await expect(reader[read]({ ...query, examine: rows - 1 })).rejects.toMatchObject(tooCostly);
      await expect(reader[read]({ ...query, examine: rows })).resolves.toEqual(await reader[read](query));
    }
  };

  // A search asks for pages by where the one before has ended: that row is looked at, too.
  it('are those of a page alone, if a condition tells where it begins', async () => {
    const end = { value: 14, key: 'k14' };
    await costs({ ...inOrder, perPage: 3, where: and(following('number', false, end), lt('number', 100)) }, 4);
    const downwards = { ...inOrder, perPage: 3, sort: [{ field: 'number' as const, descending: true }] };
    await costs({ ...downwards, where: and(following('number', true, { value: 3, key: 'k3' }), gte('number', 0)) }, 4);
  });

  it('are those of the page and of earlier pages in the order of an index', async () => {
    await costs(inOrder, 5);
    await costs({ ...inOrder, page: 3 }, 15);
  });

  it('are those up to the last one that fits, for a condition that few rows meet', () =>
    costs({ ...inOrder, where: eq('size', 2), perPage: 1 }, 20));

  it('are those that fit, if few do and an index finds them', () =>
    costs({ ...inOrder, where: eq('colour', 'red'), perPage: 1 }, 1));

  it('are all that fit, for an order without an index', () =>
    costs({ ...inOrder, where: lt('number', 10), sort: [{ field: 'size', descending: false }], perPage: 1 }, 10));

  it('are counted for a number of rows, unless an index alone says it', async () => {
    await expect(reader.count(eq('size', 2), 19)).rejects.toMatchObject(tooCostly);
    await expect(reader.count(eq('size', 2), 20)).resolves.toBe(1);
    await expect(reader.count(lt('number', 10), 1)).resolves.toBe(10);
  });

  it('have no limit if the query names none, also after one that was refused', async () => {
    await expect(reader.find({ ...inOrder, examine: 1 })).rejects.toMatchObject(tooCostly);
    await expect(reader.find({ ...inOrder, perPage: 50 })).resolves.toHaveLength(20);
    await expect(reader.count(eq('colour', 'blue'))).resolves.toBe(19);
  });
});
