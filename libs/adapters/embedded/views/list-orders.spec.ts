import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import { and, eq, gt, lte, type Query, type Where } from '#eventsourcing';
import { inState, whereOf } from '../../../catalogue/deal/deal-criteria.js';
import { dealListingView, type ListedField } from '../../../catalogue/deal/deal-listing.view.js';
import { QueryCompiler } from './compile.js';
import { schemaOf } from './schema.js';

const NOW = 1_800_000_000_000;
const inFlight = inState('in-flight', NOW);

// A page must cost the same however many deals a region has: SQLite reads it from an index in the order of the list.
describe('the default lists of deals', () => {
  const { tables, indexes } = schemaOf(dealListingView);
  const database = new DatabaseSync(':memory:');
  for (const sql of [tables, ...indexes]) database.exec(sql);

  const byEnd = { field: 'end_at', descending: true } as const;
  const byStart = { field: 'start_at', descending: false } as const;
  it.each<[string, Where<ListedField>, Query<ListedField>['sort'][number], string]>([
    ['v1', whereOf({ state: 'in-flight' }, NOW), byEnd, 'end_at'],
    ['v1 of a region', and(eq('region_id', 'boston'), inFlight), byEnd, 'region_id_end_at'],
    ['v1 by price', whereOf({ state: 'in-flight', price_min: 1_000, price_max: 2_000 }, NOW), byEnd, 'end_at'],
    [
      'a region’s',
      and(eq('region_id', 'boston'), inFlight, lte('start_at', NOW), gt('end_at', NOW)),
      byStart,
      'region_id_start_at',
    ],
  ])('%s is read in its order, without sorting', (_, where, sort, order) => {
    const { sql, bound } = new QueryCompiler(dealListingView, new Set()).versions({
      where,
      sort: [sort],
      page: 1,
      perPage: 100,
    });
    const plan = database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...bound)
      .map(({ detail }) => String(detail));
    expect(plan).toEqual([expect.stringContaining(`USING INDEX order_${order} `)]);
  });
});
