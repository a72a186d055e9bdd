import { describe, expect, it } from '@jest/globals';
import { categorySlug } from '../deal/category-slug.js';
import { preferredCategories } from './preferred-categories.js';

describe('C5: the categories that a user prefers', () => {
  it.each([
    [
      ['Food & Drink', 'spa-beauty'],
      ['food-drink', 'spa-beauty'],
    ],
    ['Food & Drink,SPA-Beauty, travel', ['food-drink', 'spa-beauty', 'travel']],
    [['Travel', 7, null, {}], ['travel']],
    ['travel', ['travel']],
  ])('%j', (given, slugs) => {
    expect(preferredCategories({ preferred_categories: given })).toEqual(slugs);
  });

  it.each([[undefined], [null], [''], [' , '], [[]], [['']], [[7]], [7], [{ a: 'travel' }]])(
    'from %j are none',
    (given) => {
      expect(preferredCategories({ preferred_categories: given })).toBeUndefined();
    },
  );

  it('are as many of a text as of a list', () => {
    const text = Array.from({ length: 1_001 }, (_, nth) => `c${nth}`).join(',');
    expect(preferredCategories({ preferred_categories: text })?.slice(-1)).toEqual(['c999']);
  });

  it('are none without the attribute', () => {
    expect(preferredCategories({})).toBeUndefined();
    expect(preferredCategories({ other: ['travel'] })).toBeUndefined();
  });

  it.each([
    ['Food & Drink', 'food-drink'],
    ['food-drink', 'food-drink'],
    ['  Spa/Beauty  ', 'spa-beauty'],
    ['Żywność', 'zywnosc'],
    ['Kids’ Stuff', 'kids-stuff'],
    ['&', ''],
  ])('the slug of %s is %s', (name, slug) => {
    expect(categorySlug(name)).toBe(slug);
  });
});
