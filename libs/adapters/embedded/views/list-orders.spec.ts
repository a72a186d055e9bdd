import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import { and, eq, gt, gte, lte, NEWEST_FIRST, type Query, type Where } from '#eventsourcing';
import type { View } from '#kernel';
import { eventIndexView } from '../../../auditing/event-index/event-index.view.js';
import { inState, near, whereOf } from '../../../catalogue/deal/deal-criteria.js';
import { dealListingView, type ListedField } from '../../../catalogue/deal/deal-listing.view.js';
import { whereOf as whereOfV3 } from '../../../catalogue/deal/v3/filter-where.js';
import { parseFilter } from '../../../catalogue/deal/v3/filter.js';
import { whereBatches } from '../../../mailing/batch/batch.queries.js';
import { batchesView } from '../../../mailing/batch/batch.view.js';
import { whereCoupons } from '../../../purchasing/coupon/coupon.queries.js';
import { couponsView } from '../../../purchasing/coupon/coupon.view.js';
import { wherePurchases } from '../../../purchasing/purchase/purchase-filters.js';
import { purchasesView } from '../../../purchasing/purchase/purchase.view.js';
import { EXAMINED_FUNCTION, QueryCompiler } from './compile.js';
import { nearPlanOf } from './near-order.js';
import { orderIndexOf } from './order-index.js';
import { schemaOf } from './schema.js';

const NOW = 1_800_000_000_000;
const inFlight = inState('in-flight', NOW);
const ofBoston = and(
  inFlight,
  await whereOfV3(parseFilter('region[boston]'), () => Promise.reject(new Error('no city'))),
);

/** How SQLite finds a page, or its versions: what it does to the table `rows`. */
function planOf(
  view: View,
  { where, sort }: Pick<Query, 'where' | 'sort'>,
  of: 'find' | 'versions' = 'versions',
): readonly string[] {
  const { tables, indexes } = schemaOf(view);
  const database = new DatabaseSync(':memory:');
  for (const sql of [tables, ...indexes]) database.exec(sql);
  database.function(EXAMINED_FUNCTION, () => 1);
  const query = { where, sort, page: 1, perPage: 100, examine: 1 };
  const order = orderIndexOf(view, query, new Set());
  const plan =
    nearPlanOf(view, query, new Set()) ??
    (order && ({ by: 'order', index: order.name, isNarrowest: order.isNarrowest } as const));
  const { sql, bound } = new QueryCompiler(view, new Set())[of](query, plan);
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...bound);
  database.close();
  // The page is a subquery, whose rows are put together in their order.
  return steps.map(({ detail }) => String(detail)).filter((step) => !/^(CO-ROUTINE|SCAN) \(subquery-1\)$/.test(step));
}

// A page must cost the same however many deals a region has: SQLite reads it from an index in the order of the list.
describe('the default lists of deals', () => {
  const byEnd = { field: 'end_at', descending: true } as const;
  const endingSoon = { field: 'end_at', descending: false } as const;
  const bySales = { field: 'number_sold', descending: true } as const;
  const byPrice = { field: 'current_price', descending: false } as const;
  const newest = { field: 'start_at', descending: true } as const;
  const byStart = { field: 'start_at', descending: false } as const;
  it.each<[string, Where<ListedField>, Query<ListedField>['sort'][number], string]>([
    ['v1', whereOf({ state: 'in-flight' }, NOW), byEnd, 'end_at_desc'],
    ['v1 of a region', and(eq('region_id', 'boston'), inFlight), byEnd, 'region_id_end_at_desc'],
    ['v3 of a region', ofBoston, byEnd, 'region_id_end_at_desc'],
    ['v3 of a region, ending soon', ofBoston, endingSoon, 'region_id_end_at'],
    ['v3 of a region by sales', ofBoston, bySales, 'region_id_number_sold_desc'],
    ['v3 of a region, cheapest first', ofBoston, byPrice, 'current_price'],
    ['v3 of a region, newest first', ofBoston, newest, 'region_id_start_at_desc'],
    ['v1 of a merchant', and(eq('merchant_id', 'spas'), inFlight), byEnd, 'merchant_id_end_at_desc'],
    ['v1 of a supplier', and(eq('supplier_id', 'spas'), inFlight), byEnd, 'supplier_id_end_at_desc'],
    [
      'v3 of a category of a region',
      and(ofBoston, eq('category_slug', 'spas')),
      byEnd,
      'region_id_category_slug_end_at_desc',
    ],
    ['v1 by price', whereOf({ state: 'in-flight', price_min: 1_000, price_max: 2_000 }, NOW), byEnd, 'end_at_desc'],
    [
      'a region’s',
      and(eq('region_id', 'boston'), inFlight, lte('start_at', NOW), gt('end_at', NOW)),
      byStart,
      'region_id_start_at',
    ],
  ])('%s is read in its order, without sorting', (_, where, sort, order) => {
    const plan = planOf(dealListingView, { where, sort: [sort] });
    expect(plan).toEqual([expect.stringMatching(new RegExp(`USING INDEX order_${order}( |$)`))]);
  });
});

// A row that does not fit costs no more than its entry of the index: else a list whose filter few rows fit is slower in a large
// file, where each row is somewhere else.
it.each([
  ['without filters', {}],
  ['by price', { price_min: 1_000, price_max: 2_000 }],
  ['by category', { category: 'Spas' }],
  ['without card links', { without: 'card-linked' }],
] as const)('the list of a region %s tests its filters in the index', (_, filters) => {
  const where = and(eq('region_id', 'boston'), whereOf({ state: 'in-flight', ...filters }, NOW));
  const plan = planOf(dealListingView, { where, sort: [{ field: 'end_at', descending: true }] }, 'find');
  expect(plan).toContainEqual(expect.stringContaining('USING COVERING INDEX order_region_id_end_at_desc '));
});

it.each([
  ['ascending', gte('block', 5), false, 'term_block'],
  ['descending', lte('block', 5), true, 'term_block_desc'],
] as const)('G7.8: the index of the log is read in its order, without sorting: %s', (_, beyond, descending, order) => {
  const where = and(eq('term', 'role:operator'), beyond);
  const plan = planOf(eventIndexView, { where, sort: [{ field: 'block', descending }] });
  expect(plan).toEqual([expect.stringMatching(new RegExp(`USING INDEX order_${order} `))]);
});

describe('the lists of deals near a place', () => {
  it.each([
    ['v1, v3', { field: 'end_at', descending: true } as const, 'end_at_desc'],
    ['locate', { field: 'start_at', descending: false } as const, 'start_at'],
  ])('%s are read from cells in their order, without sorting', (_, sort, order) => {
    const plan = planOf(dealListingView, { where: and(near(42.4, -71.1, 25), inFlight), sort: [sort] });
    const searched = plan.filter((step) => / places /.test(step));
    expect(searched.length).toBeGreaterThan(3);
    for (const step of searched)
      expect(step).toContain(`USING COVERING INDEX near_locations_${order} (field=? AND cell=?)`);
    const ofTheirRow = plan.filter((step) => / earlier /.test(step));
    expect(ofTheirRow).toHaveLength(searched.length);
    for (const step of ofTheirRow) expect(step).toContain('USING PRIMARY KEY (row=?)');
    expect(plan.filter((step) => /TEMP B-TREE|MATERIALIZE/.test(step))).toEqual([]);
    expect(plan).toContain('SEARCH rows USING INTEGER PRIMARY KEY (rowid=?)');
  });
});

// Whether the page is still the same is asked at each call: that reads no row.
describe('the lists of a user', () => {
  it.each([
    ['purchases', purchasesView, eq('user_id', 'ann')],
    ['coupons', couponsView, eq('user_id', 'ann')],
    [
      'coupons that can be redeemed',
      couponsView,
      and(eq('user_id', 'ann'), eq('state', 'valid'), gt('expires_at', NOW)),
    ],
  ])('of %s are known from an index in their order alone', (_, view, where) => {
    const plan = planOf(view, { where, sort: NEWEST_FIRST });
    expect(plan).toEqual([expect.stringContaining('USING COVERING INDEX order_user_id_created_at_desc ')]);
  });
});

// A partner may have sold millions: the index of what the fewest rows have gives the rows in the order of the list.
describe('A5.1: the lists of a partner', () => {
  const acme = { partner_id: 'acme' };
  const filters = { from: NOW - 1, to: NOW, fulfillment_state: 'released' } as const;
  it.each([
    ['purchases', purchasesView, wherePurchases(acme, {}, NOW), 'partner_id'],
    ['purchases by time and state', purchasesView, wherePurchases(acme, filters, NOW), 'partner_id'],
    ['purchases of a deal', purchasesView, wherePurchases(acme, { ...filters, deal_id: 'spa' }, NOW), 'deal_id'],
    [
      'purchases with a reference',
      purchasesView,
      wherePurchases(acme, { deal_id: 'spa', reference: 'order-1' }, NOW),
      'reference',
    ],
    [
      'purchases of one of its users',
      purchasesView,
      wherePurchases({ user_id: 'ann' }, { ...filters, deal_id: 'spa' }, NOW),
      'user_id',
    ],
    [
      'coupons with a barcode',
      couponsView,
      whereCoupons(acme, { barcode: '000000000001', redemption_code: 'A', filter: ['valid'] }, NOW),
      'barcode',
    ],
    ['coupons with a code', couponsView, whereCoupons(acme, { redemption_code: 'A' }, NOW), 'redemption_code'],
    ['batches', batchesView, whereBatches('acme', { status: 'pending' }), 'partner_id'],
    ['batches of a deal', batchesView, whereBatches('acme', { deal_id: 'spa', status: 'pending' }), 'deal_id'],
  ])('of %s are read in their order, without sorting', (_, view, where, field) => {
    const plan = planOf(view, { where, sort: NEWEST_FIRST });
    expect(plan).toEqual([expect.stringContaining(`USING INDEX order_${field}_created_at_desc (f_${field}=?`)]);
  });
});
