import { describe, expect, it } from '@jest/globals';
import { and, eq, gt, gte, lt, lte, ne, oneOf } from '#eventsourcing';
import { near, type DealWhere } from './deal-criteria.js';
import { allOf } from './simpler.js';

describe('I17: conditions that must all hold', () => {
  it.each<[string, readonly DealWhere[], readonly DealWhere[]]>([
    ['nothing for nothing', [], []],
    ['said twice once', [near(42, -71, 5), near(42, -71, 5), near(42, -71, 6)], [near(42, -71, 5), near(42, -71, 6)]],
    [
      'the strictest bound of each kind',
      [gte('current_price', 5), gte('current_price', 9), lt('current_price', 20), lt('current_price', 10)],
      [gte('current_price', 9), lt('current_price', 10)],
    ],
    [
      'bounds of other kinds beside each other',
      [gt('current_price', 5), gte('current_price', 9), lte('value', 3)],
      [gt('current_price', 5), gte('current_price', 9), lte('value', 3)],
    ],
    [
      'one region that all choices have',
      [oneOf('region_id', ['a', 'b']), oneOf('region_id', ['b', 'c'])],
      [eq('region_id', 'b')],
    ],
    [
      'no region if they have none in common',
      [eq('region_id', 'a'), oneOf('region_id', ['b', 'c'])],
      [oneOf('region_id', [])],
    ],
    [
      'choices of other fields beside each other',
      [eq('region_id', 'a'), eq('merchant_id', 'a')],
      [eq('region_id', 'a'), eq('merchant_id', 'a')],
    ],
    ['what is left out as it is', [ne('type', 'a'), ne('type', 'b')], [ne('type', 'a'), ne('type', 'b')]],
  ])('become %s', (_, conditions, simpler) => {
    expect(allOf(conditions)).toEqual(and(...simpler));
  });
});
