import { describe, expect, it } from '@jest/globals';
import type { DomainError } from '#kernel';
import { assertAffordable, circlesIn, excessOf, type ViewSize } from './list-cost.js';
import { and, contains, eq, gt, having, not, oneOf, or, type Query, type Where } from './query.js';

const near = (latitude: number): Where => ({ op: 'near', field: 'at', latitude, longitude: 0, miles: 10 });
const circles = (count: number): readonly Where[] => Array.from({ length: count }, (_, nth) => near(nth / 10));
const by = (...fields: readonly string[]): Query['sort'] => fields.map((field) => ({ field, descending: false }));
const onSale = and(or(eq('state', 'on'), eq('state', 'new')), gt('end', 1));

/** A catalogue of the size that ruling I17 names, with two places for each deal. */
const LARGE: ViewSize = { rows: 200_000, places: 400_000 };
const ENDLESS: ViewSize = { rows: 250_000, places: 250_000_000 };
const SMALL: ViewSize = { rows: 1_000, places: 2_000 };

function refusalOf(where: Where, sort: Query['sort'], size: ViewSize): DomainError | undefined {
  try {
    assertAffordable({ where, sort }, size);
    return undefined;
  } catch (error) {
    return error as DomainError;
  }
}

describe('I17: the budget of a list', () => {
  it.each<[string, Where, ViewSize]>([
    ['one circle', near(0), LARGE],
    ['one circle among places without end', near(0), ENDLESS],
    ['a part of a text', contains('title', 'spa'), LARGE],
    [
      'one value of a thousand',
      oneOf(
        'category',
        Array.from({ length: 1_000 }, (_, nth) => nth),
      ),
      LARGE,
    ],
    ['what is left out', not(oneOf('id', ['a', 'b'])), LARGE],
    ['all the texts of a v1 list', and(...['a', 'b', 'c', 'd'].map((field) => contains(field, 'x'))), LARGE],
  ])('given a large catalogue, when a sorted list has %s, then it is answered', (_, filter, size) => {
    expect(refusalOf(and(onSale, filter), by('title'), size)).toBeUndefined();
  });

  it('given few deals, when a list has a hundred circles and sorts by all fields, then it is answered', () => {
    const fields = Array.from({ length: 35 }, (_, nth) => `f${nth}`);
    expect(refusalOf(and(onSale, ...circles(100)), by(...fields), SMALL)).toBeUndefined();
  });

  it.each<[string, Where, Query['sort'], object]>([
    ['a hundred circles', and(onSale, ...circles(100)), by('title'), { kind: 'near', field: 'at', has: 100, most: 2 }],
    ['three circles', and(onSale, or(...circles(3))), [], { kind: 'near', field: 'at', has: 3, most: 2 }],
    [
      'thirty further fields of its order',
      onSale,
      by(...Array.from({ length: 31 }, (_, nth) => `f${nth}`)),
      { kind: 'order', has: 30, most: 7 },
    ],
  ])(
    'given a large catalogue, when a list has %s, then it is refused, and the refusal says how many may stay',
    (_, where, sort, of) => {
      const refusal = refusalOf(where, sort, LARGE);
      expect(refusal).toMatchObject({ code: 'list_too_costly' });
      expect(refusal && excessOf(refusal)).toMatchObject({ ...of, rows: LARGE.rows });
    },
  );

  it('answers exactly as many as a refusal says may stay', () => {
    for (const [count, others] of [
      [40, [contains('title', 'a')]],
      [9, []],
    ] as const) {
      const places: ViewSize = { rows: 1_000, places: 100_000 };
      const refusal = refusalOf(and(...circles(count), ...others), by('a', 'b'), places);
      const { most = 0 } = (refusal && excessOf(refusal)) ?? {};
      expect(most).toBeGreaterThan(1);
      expect(refusalOf(and(...circles(most), ...others), by('a', 'b'), places)).toBeUndefined();
      expect(refusalOf(and(...circles(most + 1), ...others), by('a', 'b'), places)).toBeDefined();
    }
  });

  it('given tens of millions of rows, when a list may examine few of them, then only these count', () => {
    const filters = and(having(['deal', 'spa'], ['partner', 'acme']), gt('made', 1), eq('state', 'sold'));
    const sales: ViewSize = { rows: 50_000_000, places: 0 };
    expect(() => assertAffordable({ where: filters, sort: by('made'), examine: 250_000 }, sales)).not.toThrow();
    expect(refusalOf(filters, by('made'), sales)).toMatchObject({ code: 'list_too_costly' });
  });

  it('counts circles wherever they are', () => {
    expect(circlesIn(and(near(0), or(near(1), not(near(2)))))).toBe(3);
    expect(circlesIn(onSale)).toBe(0);
  });
});
