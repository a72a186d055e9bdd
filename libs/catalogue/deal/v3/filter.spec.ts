import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BadQuery } from '#http';
import { OPERATORS, type Condition, type FilterName } from './condition.js';
import { parseFilter } from './filter.js';

const refusalOf = (text: string): string => {
  try {
    return `was read: ${JSON.stringify(parseFilter(text))}`;
  } catch (error) {
    if (!(error instanceof BadQuery)) throw error;
    return error.message;
  }
};

describe('4.2: a filter', () => {
  it.each<readonly [string, readonly object[]]>([
    ['category[a]', [{ name: 'category', values: ['a'] }]],
    ['subcategory[a,b]', [{ name: 'subcategory', values: ['a', 'b'] }]],
    ['category[Food & Drink,spa]', [{ name: 'category', values: ['Food & Drink', 'spa'] }]],
    ['price<500', [{ name: 'price', operator: '<', cents: 500 }]],
    ['price<=500', [{ name: 'price', operator: '<=', cents: 500 }]],
    ['price=0500', [{ name: 'price', operator: '=', cents: 500 }]],
    ['price>=500', [{ name: 'price', operator: '>=', cents: 500 }]],
    ['price>0', [{ name: 'price', operator: '>', cents: 0 }]],
    ['price[100,200]', [{ name: 'price', values: [100, 200] }]],
    ['region[boston,new-york-2]', [{ name: 'region', values: ['boston', 'new-york-2'] }]],
    ['region_city[San Jose,ca]', [{ name: 'region_city', values: [{ city: 'San Jose', state: 'CA', at: 12 }] }]],
    [
      'region_city[[Boston,MA],[St. Paul,MN]]',
      [
        {
          name: 'region_city',
          values: [
            { city: 'Boston', state: 'MA', at: 13 },
            { city: 'St. Paul', state: 'MN', at: 25 },
          ],
        },
      ],
    ],
    ['lat_long[42.3,-71.,.5]', [{ name: 'lat_long', latitude: 42.3, longitude: -71, miles: 0.5 }]],
    ['lat_long[90,-180,12500]', [{ name: 'lat_long', latitude: 90, longitude: -180, miles: 12_500 }]],
    ['sold_out[true]', [{ name: 'sold_out', value: true }]],
    ['sold_out[false]', [{ name: 'sold_out', value: false }]],
    [
      'price>=1,price<5,sold_out[false]',
      [
        { name: 'price', operator: '>=', cents: 1 },
        { name: 'price', operator: '<', cents: 5 },
        { name: 'sold_out', value: false },
      ],
    ],
    [
      ' category[ a b , c ] , price >= 1 , price[ 1 , 2 ] , region_city [ [ A , ma ] ] , lat_long[ 1 , 2 , 3 ] ',
      [
        { name: 'category', values: ['a b', 'c'] },
        { name: 'price', operator: '>=', cents: 1 },
        { name: 'price', values: [1, 2] },
        { name: 'region_city', values: [{ city: 'A', state: 'MA', at: 69 }] },
        { name: 'lat_long', latitude: 1, longitude: 2, miles: 3 },
      ],
    ],
  ])('is read: %s', (text, conditions) => {
    expect(parseFilter(text)).toEqual(conditions);
  });

  it.each([
    ['', 'expected the name of a filter at character 1'],
    [' ', 'expected the name of a filter at character 2'],
    ['[a]', 'expected the name of a filter at character 1'],
    ['price=1,', 'expected the name of a filter at character 9'],
    ['price=1,,price=2', 'expected the name of a filter at character 9'],
    ['price=1 price=2', 'expected "," or the end at character 9'],
    ['price=1;price=2', 'expected "," or the end at character 8'],
    ['colour[red]', 'colour is not a filter at character 1'],
    ['price=1, toString[a]', 'toString is not a filter at character 10'],
    ['Category[a]', 'Category is not a filter at character 1'],
    ['category', 'expected "[" at character 9'],
    ['category=a', 'expected "[" at character 9'],
    ['category[', 'expected a slug or a name at character 10'],
    ['category[]', 'expected a slug or a name at character 10'],
    ['category[a,]', 'expected a slug or a name at character 12'],
    ['category[[a]]', 'expected a slug or a name at character 10'],
    ['category[a', 'expected "," or "]" at character 11'],
    ['category[😀[', 'expected "," or "]" at character 11'],
    ['category[a]b', 'expected "," or the end at character 12'],
    ['subcategory[]', 'expected a slug or a name at character 13'],
    ['price', 'expected a comparison (<, <=, =, >=, >) or "[" at character 6'],
    ['price!=1', 'expected a comparison (<, <=, =, >=, >) or "[" at character 6'],
    ['price>', 'expected a number at character 7'],
    ['price>x', 'expected a number at character 7'],
    ['price>-1', 'expected a number at character 7'],
    ['price==1', 'expected a number at character 7'],
    ['price>=x', 'expected a number at character 8'],
    ['price>1.5', 'expected "," or the end at character 8'],
    ['price>9007199254740992', 'price must be at most 9007199254740991 at character 7'],
    ['price[]', 'expected a number at character 7'],
    ['price[1,]', 'expected a number at character 9'],
    ['price[1', 'expected "," or "]" at character 8'],
    ['region[]', 'expected the slug of a region at character 8'],
    ['region[Boston]', 'expected the slug of a region at character 8'],
    ['region[new york]', 'expected "," or "]" at character 12'],
    ['region_city[]', 'expected a city or "[" at character 13'],
    ['region_city[Boston]', 'expected "," at character 19'],
    ['region_city[Boston,Mass]', 'expected a state of two letters at character 20'],
    ['region_city[Boston,MA,Salem,MA]', 'expected "]" at character 22'],
    ['region_city[[Boston,MA]', 'expected "," or "]" at character 24'],
    ['region_city[[Boston,MA],]', 'expected "[" at character 25'],
    ['lat_long[]', 'expected a number at character 10'],
    ['lat_long[1,2]', 'expected "," at character 13'],
    ['lat_long[1,2,3,4]', 'expected "]" at character 15'],
    ['lat_long[90.1,2,3]', 'latitude must be from -90 to 90 at character 10'],
    ['lat_long[-90.1,2,3]', 'latitude must be from -90 to 90 at character 10'],
    ['lat_long[1, 181,3]', 'longitude must be from -180 to 180 at character 13'],
    ['lat_long[1,2,-1]', 'radius must be from 0 to 12500 at character 14'],
    ['lat_long[1,2,12501]', 'radius must be from 0 to 12500 at character 14'],
    ['sold_out', 'expected "[" at character 9'],
    ['sold_out[]', 'expected true or false at character 10'],
    ['sold_out[no]', 'expected true or false at character 10'],
    ['sold_out[trueish]', 'expected true or false at character 10'],
    ['sold_out[true,false]', 'expected "]" at character 14'],
  ])('B5: is refused with the fault and its place: %s', (text, wrong) => {
    expect(refusalOf(text)).toBe(`filter= ${wrong}`);
  });

  it('written as text reads back the same', () => {
    fc.assert(
      fc.property(fc.array(condition, { minLength: 1, maxLength: 5 }), fc.constantFrom('', ' '), (given, blank) => {
        expect(withoutPlaces(parseFilter(given.map((one) => textOf(one, blank)).join(`${blank},${blank}`)))).toEqual(
          given,
        );
      }),
    );
  });

  it('B5: is read or refused, with any text', () => {
    const parts = fc.constantFrom(...'[],<>= '.split(''), ...Object.keys(CONDITIONS), 'true', '1', 'a');
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(parts, { maxLength: 12 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => expect(refusalOf(text)).toMatch(/^was read|^filter= .+ at character \d+$/s)),
      {
        numRuns: 1_000,
      },
    );
    expect(refusalOf(`category[${'['.repeat(1_000_000)}`)).toBe('filter= expected a slug or a name at character 10');
  });
});

/** A condition without the place of its cities in the text. */
type Placeless = Exclude<Condition, { name: 'region_city' }> | { name: 'region_city'; values: readonly City[] };
interface City {
  readonly city: string;
  readonly state: string;
}

const name = fc.stringMatching(/^[^[\], \t\r\n]{1,9}( {1,2}[^[\], \t\r\n]{1,9}){0,2}$/);
const cents = fc.nat(Number.MAX_SAFE_INTEGER);
const some = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> => fc.array(one, { minLength: 1, maxLength: 4 });
const degrees = (most: number): fc.Arbitrary<number> =>
  fc.double({ min: -most, max: most, noNaN: true }).map((number) => number + 0);
/** Every filter with any values. */
const CONDITIONS: { readonly [Name in FilterName]: fc.Arbitrary<{ readonly name: Name } & Placeless> } = {
  category: fc.record({ name: fc.constant('category'), values: some(name) }),
  subcategory: fc.record({ name: fc.constant('subcategory'), values: some(name) }),
  price: fc.oneof(
    fc.record({ name: fc.constant('price'), operator: fc.constantFrom(...OPERATORS), cents }),
    fc.record({ name: fc.constant('price'), values: some(cents) }),
  ),
  region: fc.record({ name: fc.constant('region'), values: some(fc.stringMatching(/^[a-z0-9-]{1,9}$/)) }),
  region_city: fc.record({
    name: fc.constant('region_city'),
    values: some(fc.record({ city: name, state: fc.stringMatching(/^[A-Z]{2}$/) })),
  }),
  lat_long: fc.record({
    name: fc.constant('lat_long'),
    latitude: degrees(90),
    longitude: degrees(180),
    miles: fc.double({ min: 0, max: 12_500, noNaN: true }),
  }),
  sold_out: fc.record({ name: fc.constant('sold_out'), value: fc.boolean() }),
};
const condition: fc.Arbitrary<Placeless> = fc.oneof(...Object.values(CONDITIONS));

function textOf(given: Placeless, blank: string): string {
  const list = (values: readonly (string | number)[]): string =>
    `[${blank}${values.join(`${blank},${blank}`)}${blank}]`;
  switch (given.name) {
    case 'price':
      if ('operator' in given) return `price${blank}${given.operator}${blank}${given.cents}`;
      return `price${list(given.values)}`;
    case 'region_city': {
      const cities = given.values.map(({ city, state }) => list([city, state]));
      // A single city needs no extra brackets.
      return `region_city${cities.length === 1 ? cities.join('') : list(cities)}`;
    }
    case 'lat_long':
      return `lat_long${list([given.latitude, given.longitude, given.miles])}`;
    case 'sold_out':
      return `sold_out${list([String(given.value)])}`;
    case 'category':
    case 'subcategory':
    case 'region':
      return `${given.name}${list(given.values)}`;
  }
}

function withoutPlaces(conditions: readonly Condition[]): readonly Placeless[] {
  return conditions.map((one) =>
    one.name === 'region_city'
      ? { name: one.name, values: one.values.map(({ city, state }) => ({ city, state })) }
      : one,
  );
}
