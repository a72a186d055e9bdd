import { beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Freshness, ViewChanges } from '#eventsourcing';
import { PublicUrl } from '#http';
import { DAY, type Position } from '#kernel';
import { Regions } from '../region/regions.js';
import { regionsView } from '../region/region.view.js';
import { DEAL_DEFAULTS, type DealAttributes } from './deal.attributes.js';
import { DealItems, type Shape } from './deal-items.js';
import { dealListingView } from './deal-listing.view.js';
import { dealsView } from './deal.view.js';
import { Deals } from './deals.js';
import { shapeV1 } from './deals.present.js';
import { DEAL_FIELDS } from './v3/deal-fields.js';
import { shapeV3 } from './v3/deal-v3.present.js';
import { allOf } from './v3/fields.js';
import { hoursAround, timesOfStalePages } from '../../../test/support/by-the-clock.js';
import { engineOf } from '../../../test/support/engine-of.js';

/** What a list shows of a deal here. */
const SHAPE: Shape = {
  name: 'some',
  present: ({ row, region, units, now }) => [row.attributes.title, region?.name, units?.sold, now],
};

describe('the deals of lists', () => {
  const changes = new ViewChanges();
  let freshness: Freshness;
  let items: DealItems;
  let listing: { position: Position; sold: number };
  let body: { title: string };
  let region: { name: string };
  let reads: number;
  let now: number;

  beforeEach(() => {
    freshness = new Freshness(thisMachine.time);
    [listing, body, region] = [{ position: 5n, sold: 1 }, { title: 'Spa' }, { name: 'Boston' }];
    now = 1_500;
    const attributes = () => ({ ...DEAL_DEFAULTS, ...body, region_id: 'boston', start_at: 1_000, end_at: 2_000 });
    const readers = new Map<object, () => object>([
      [dealListingView, () => ({ position: listing.position, row: { units: { sold: listing.sold } } })],
      [dealsView, () => ({ position: 1n, row: { deal_id: 'spa', state: 'approved', attributes: attributes() } })],
      [regionsView, () => ({ position: 1n, row: { ...region } })],
    ]);
    const reader = (view: object): object => ({
      async get() {
        if (view === dealListingView) reads += 1;
        return readers.get(view)?.();
      },
    });
    const engine = engineOf({ views: { reader }, changes, freshness, time: thisMachine.time });
    items = new DealItems(
      engine.reader,
      engine.time,
      engine.changes,
      new Deals(engine.reader, engine.changes, new PublicUrl('http://deals.test')),
      new Regions(engine.reader, engine.changes),
    );
    reached(10n);
  });

  const reached = (position: Position): void => freshness.reached([{ view: dealsView.name, position }]);
  const page = async (shape = SHAPE): Promise<unknown> => {
    reads = 0;
    const {
      items: [json],
    } = await items.of({ rows: [{ key: 'spa', position: listing.position }], more: false, now }, shape);
    return JSON.parse(String(json));
  };

  it('are read once for each shape', async () => {
    expect([await page(), reads]).toEqual([['Spa', 'Boston', 1, now], 1]);
    expect([await page(), reads]).toEqual([['Spa', 'Boston', 1, now], 0]);
    const other: Shape = { name: 'other', present: ({ units }) => ({ sold: units?.sold }) };
    expect([await page(other), reads]).toEqual([{ sold: 1 }, 1]);
    expect([await page(), await page(other), reads]).toEqual([['Spa', 'Boston', 1, now], { sold: 1 }, 0]);
  });

  it('are read again after a sale and after a change', async () => {
    await page();
    listing = { position: 6n, sold: 2 };
    expect(await page()).toEqual(['Spa', 'Boston', 2, now]);
    listing = { position: 7n, sold: 2 };
    body = { title: 'Sauna' };
    changes.tell([dealsView.name, dealListingView.name]);
    expect([await page(), reads]).toEqual([['Sauna', 'Boston', 2, now], 1]);
    expect([await page(), reads]).toEqual([['Sauna', 'Boston', 2, now], 0]);
  });

  it('are not remembered while the view of their bodies is behind the listing', async () => {
    listing = { position: 11n, sold: 1 };
    expect(await page()).toEqual(['Spa', 'Boston', 1, now]);
    // The other view follows: what it has to show was written at the same position as the row of the listing.
    body = { title: 'Sauna' };
    changes.tell([dealsView.name]);
    reached(11n);
    expect([await page(), reads]).toEqual([['Sauna', 'Boston', 1, now], 1]);
    expect([await page(), reads]).toEqual([['Sauna', 'Boston', 1, now], 0]);
  });

  it('are forgotten when a region changes', async () => {
    await page();
    region = { name: 'Bostón' };
    changes.tell([regionsView.name]);
    expect([await page(), reads]).toEqual([['Spa', 'Bostón', 1, now], 1]);
  });

  it.each([dealListingView, dealsView, regionsView])(
    'are forgotten when another generation of the view $name is live, whatever the versions of its rows',
    async (view) => {
      changes.live([{ view: view.name, generation: 1 }]);
      await page();
      expect([await page(), reads]).toEqual([expect.anything(), 0]);
      changes.live([{ view: view.name, generation: 2 }]);
      await page();
      expect(reads).toBe(1);
    },
  );

  it('C1: are made again when the clock passes the start or the end of the deal, in either direction', async () => {
    await page();
    for (const [at, isAgain] of [
      [1_000, 0],
      [1_999, 0],
      [2_000, 1],
      [9_000, 0],
      [1_999, 1],
      [999, 1],
      [0, 0],
      [1_000, 1],
    ] as const) {
      now = at;
      await page();
      expect([at, reads]).toEqual([at, isAgain]);
    }
  });
});

it.each<readonly [string, Shape]>([
  ['v1', shapeV1(new PublicUrl('http://deals.test'))],
  ['v3', shapeV3(allOf(DEAL_FIELDS), { keyring: { hash: () => 'h' }, publicUrl: new PublicUrl('http://deals.test') })],
])('C1: the remembered deals of a list in %s show what those show that are made at that time', async (_, shape) => {
  const T = 1_324_062_675_000;
  const attributes: DealAttributes = {
    ...DEAL_DEFAULTS,
    title: 'Spa',
    type: 'daily-deal',
    region_id: 'boston',
    start_at: T,
    end_at: T + 20 * DAY,
    expires_at: T + 30 * DAY,
  };
  const listed = { key: 'spa', position: 1n, row: { units: { stock: 9, held: 1, sold: 2, codes_left: null } } };
  const rows = new Map<object, object>([
    [dealListingView, listed],
    [dealsView, { position: 1n, row: { deal_id: 'spa', state: 'approved', attributes } }],
    [regionsView, { position: 1n, row: { id: 'boston', name: 'Boston', time_zone: 'America/New_York' } }],
  ]);
  const { reader } = engineOf({
    views: { reader: (view: object) => ({ get: async () => rows.get(view) }) },
    freshness: { has: () => true },
  });
  const newMemory = () => {
    const changes = new ViewChanges();
    const deals = new Deals(reader, changes, new PublicUrl('http://deals.test'));
    const items = new DealItems(reader, thisMachine.time, changes, deals, new Regions(reader, changes));
    return async (now: number) => String((await items.of({ rows: [listed], more: false, now }, shape)).items);
  };
  expect(await timesOfStalePages(newMemory, hoursAround(T, T + 30 * DAY))).toEqual([]);
});
