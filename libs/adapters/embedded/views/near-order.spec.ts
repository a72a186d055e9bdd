import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EmbeddedViewReaders, EmbeddedViewStore } from '#adapters/embedded';
import { and, lt, type Query, type ViewReader, type Where } from '#eventsourcing';
import { defineView, places, value, type Place, type View } from '#kernel';
import { cellOf, cellsAround } from './cells.js';
import { nearPlanOf } from './near-order.js';

interface Row {
  readonly number: number | null;
  readonly size: number;
  readonly at: readonly Place[];
}
type Fields = 'number' | 'size' | 'at';

const view: View<Row, Fields> = defineView<Row, { readonly type: 'seen.v1'; readonly data: object }, Fields>({
  name: 'spots',
  version: 1,
  key: ({ stream }) => stream,
  on: { 'seen.v1': (row) => row },
  fields: { number: value((row) => row.number), size: value((row) => row.size), at: places((row) => row.at) },
  nearOrders: [
    { near: 'at', by: { descending: 'number' } },
    { near: 'at', by: 'size' },
  ],
});

const around = (latitude: number, longitude: number, miles: number): Extract<Where<Fields>, { op: 'near' }> => ({
  op: 'near',
  field: 'at',
  latitude,
  longitude,
  miles,
});

// Some rows are near one another: around a city, across the antimeridian, at the equator.
const spots = fc
  .record({
    centre: fc.constantFrom([42.4, -71.1], [-17, 179.9], [-17, -179.9], [0, 0], [64, -180], [64, 180]),
    north: fc.integer({ min: -15_000, max: 15_000 }),
    east: fc.integer({ min: -15_000, max: 15_000 }),
  })
  .map(({ centre: [latitude = 0, longitude = 0], north, east }) => ({
    latitude: latitude + north / 10_000,
    longitude: Math.max(-180, Math.min(180, longitude + east / 10_000)),
  }));
const circles = fc
  .record({ spot: spots, miles: fc.double({ min: 0.003, max: 60, noNaN: true }) })
  .map(({ spot, miles }) => around(spot.latitude, spot.longitude, miles));
const rows = fc.array(
  fc.record({
    number: fc.option(fc.integer({ min: 0, max: 5 })),
    size: fc.integer({ min: 0, max: 3 }),
    at: fc.array(spots, { maxLength: 3 }),
  }),
  { maxLength: 60 },
);
const sorts = fc.constantFrom<Query<Fields>['sort'][number]>(
  { field: 'number', descending: true },
  { field: 'size', descending: false },
);

describe('the rows near a place, in order', () => {
  let folder: string;
  let store: EmbeddedViewStore;
  let readers: EmbeddedViewReaders;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-views-'));
    store = EmbeddedViewStore.open(folder);
    readers = EmbeddedViewReaders.open(folder);
  });
  afterEach(async () => {
    await readers.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });

  /** A generation with these rows, each written twice: first with the values and places of the row after it. */
  async function filled(all: readonly Row[]): Promise<ViewReader<Row, Fields>> {
    const { number, writer } = await store.begin(view, 'log');
    const changes = (shift: number) =>
      all.map((_, index) => ({
        key: `k${index}`,
        row: all[(index + shift) % all.length] as Row,
        ...(shift === 0 ? { before: all[(index + 1) % all.length] } : {}),
        position: BigInt(2 - shift),
      }));
    await writer.write(changes(1), { log: 'log', position: 1n, event: 'event' });
    await writer.finish();
    await store.promote(view, number);
    await (await store.open(view, number)).write(changes(0), { log: 'log', position: 2n, event: 'event' });
    readers.refresh();
    return readers.reader(view);
  }

  it('are the same as without an index, page by page', () =>
    fc.assert(
      fc.asyncProperty(rows, circles, sorts, fc.integer({ min: 1, max: 3 }), async (all, circle, sort, page) => {
        const reader = await filled(all);
        const query: Query<Fields> = { where: and(circle, lt('size', 3)), sort: [sort], page, perPage: 5, ahead: 1 };
        expect(nearPlanOf(view as View, query, new Set())).toBeDefined();
        expect(await reader.find({ ...query, examine: 10_000 })).toEqual(await reader.find(query));
        expect(await reader.versions({ ...query, examine: 10_000 })).toEqual(await reader.versions(query));
      }),
      { numRuns: 60 },
    ));

  it('are found by the conditions alone if their cells have too many others', async () => {
    const at = [{ latitude: 10.2, longitude: 10.2 }];
    const others = Array.from({ length: 20 }, () => ({
      number: 1,
      size: 1,
      at: [{ latitude: 10.4, longitude: 10.4 }],
    }));
    const reader = await filled([...others, { number: 0, size: 1, at }]);
    const query: Query<Fields> = {
      where: around(10.2, 10.2, 5),
      sort: [{ field: 'number', descending: true }],
      page: 1,
      perPage: 5,
    };
    const found = await reader.find({ ...query, examine: 10 });
    expect(found.map(({ row }) => row.at)).toEqual([at]);
  });
});

describe('the cells around a circle', () => {
  it('have each place in it', () =>
    fc.assert(
      fc.property(circles, spots, (circle, spot) => {
        const cells = cellsAround({ ...circle, miles: 5 });
        const { latitude, longitude } = { latitude: circle.latitude, longitude: circle.longitude };
        expect(cells).toContain(cellOf({ latitude, longitude }));
        expect(new Set(cells).size).toBe(cells?.length);
        expect(cellOf({ ...spot, longitude: 180 })).toBe(cellOf({ ...spot, longitude: -180 }));
      }),
    ));

  it.each([
    ['a pole', around(89.9, 0, 50)],
    ['too many cells', around(42, -71, 400)],
    ['the whole earth', around(0, 0, 13_000)],
  ])('are not read for %s', (_, circle) => {
    expect(cellsAround(circle)).toBeUndefined();
  });
});
