import { describe, expect, it } from '@jest/globals';
import type { DealWhere } from '../deal-criteria.js';
import { dealListingView, type ListedField } from '../deal-listing.view.js';
import { OPERATORS, type FilterName } from './condition.js';
import { parseFilter } from './filter.js';
import { whereOf } from './filter-where.js';

/** Each filter in every form. */
const FORMS: { readonly [Name in FilterName]: readonly `${Name}${string}`[] } = {
  category: ['category[a]', 'category[Food & Drink,spa]'],
  subcategory: ['subcategory[a,b]'],
  price: [...OPERATORS.map((operator) => `price${operator}500` as const), 'price[100,200]'],
  region: ['region[boston,new-york]'],
  region_city: ['region_city[Boston,MA]', 'region_city[[Boston,MA],[St. Paul,MN]]'],
  lat_long: ['lat_long[42.3,-71,25]'],
  sold_out: ['sold_out[true]', 'sold_out[false]'],
};

const KINDS: Readonly<
  Record<Exclude<DealWhere['op'], 'and' | 'or' | 'not' | 'keyAfter'>, 'value' | 'text' | 'places'>
> = {
  eq: 'value',
  ne: 'value',
  in: 'value',
  lt: 'value',
  lte: 'value',
  gt: 'value',
  gte: 'value',
  contains: 'text',
  near: 'places',
};

/** The fields of a condition, with the kind that its operator needs. */
function named(where: DealWhere): readonly (readonly [ListedField, string])[] {
  if (where.op === 'not') return named(where.of);
  if (where.op === 'keyAfter') throw new Error('no filter names a key');
  return 'of' in where ? where.of.flatMap(named) : [[where.field, KINDS[where.op]]];
}

describe('4.2, B5: a filter', () => {
  it.each(Object.values(FORMS).flat())(
    'is a condition over fields that the listing has, of the right kind: %s',
    async (text) => {
      const fields = named(await whereOf(parseFilter(text), ({ city }) => Promise.resolve(city)));
      expect(fields.length).toBeGreaterThan(0);
      for (const [field, kind] of fields) expect([field, dealListingView.fields[field].kind]).toEqual([field, kind]);
    },
  );
});
