import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BadQuery } from '#http';
import { DEAL_DEFAULTS, type DealAttributes } from '../deal.attributes.js';
import { presentDeal } from '../deal.present.js';
import { DEAL_FIELDS, type DealPartsV3 } from './deal-fields.js';
import { allOf, readFields, shown } from './fields.js';

const SAME_AS_V1 = (
  'id campaign category description1 description2 end_at expires_at fine_print fine_print_legalese fixed_fee ' +
  'fulfillment_method highlights incentive_amount incentive_percentage instructions locations max_linkage max_per_user ' +
  'max_gift_per_user maximum_allowance merchant_name min_spend num_left num_qualifying number_sold percent_fee ' +
  'purchase_url region_id region_name robotitle shipping_address_required show_url start_at state subcategory ' +
  'supplier_id tags title type value'
).split(' ');
const ADDITIONS = 'category_id subcategory_id cost expiration_days images merchant_id sold_out'.split(' ');
const BESIDE = 'price redemption_url region soldout starting_price'.split(' ');

const place = (street: string): DealAttributes['locations'][number] => ({
  address: {
    region: 'MA',
    postal_code: '02114',
    street,
    latitude: 42.36,
    locality: 'Boston',
    longitude: -71.06,
    country: 'US',
  },
  hours: '9-5',
  phone: '555',
});

/** A value for every attribute. */
const FULL: DealAttributes = {
  ...DEAL_DEFAULTS,
  ...Object.fromEntries(
    ['campaign', 'description1', 'description2', 'fine_print', 'fine_print_legalese', 'highlights', 'instructions']
      .concat(['merchant_id', 'merchant_name', 'robotitle', 'supplier_id', 'redemption_url'])
      .map((name) => [name, `the ${name}`]),
  ),
  ...Object.fromEntries(
    ['current_price', 'value', 'max_per_user', 'max_gift_per_user', 'expiration_days', 'fixed_fee', 'cost', 'min_spend']
      .concat(['incentive_amount', 'incentive_percentage', 'max_linkage', 'maximum_allowance', 'num_qualifying'])
      .concat(['percent_fee', 'category_id', 'subcategory_id'])
      .map((name, n) => [name, n + 10]),
  ),
  title: 'A day at the spa',
  type: 'daily-deal',
  region_id: 'boston',
  start_at: Date.parse('2013-10-15T07:00:00Z'),
  end_at: Date.parse('2013-10-25T06:59:59Z'),
  expires_at: Date.parse('2013-12-18T04:59:59Z'),
  category: 'Food & Drink',
  subcategory: 'Cafés',
  fulfillment_method: 'printed',
  shipping_address_required: true,
  tags: ['a', 'b'],
  image: '/spa.jpg',
  locations: [place('1 Main St'), place('2 Main St')],
};

const parts = (attributes: Partial<DealAttributes> = {}, more: Partial<DealPartsV3> = {}): DealPartsV3 => ({
  row: { deal_id: 'spa', state: 'approved', attributes: { ...FULL, ...attributes } },
  region: {
    id: 'boston',
    name: 'Boston',
    time_zone: 'America/New_York',
    active: true,
    latitude: null,
    longitude: null,
    radius: null,
  },
  units: { stock: 10, held: 3, sold: 2, codes_left: null },
  ranOut: 0,
  now: Date.parse('2013-10-20T00:00:00Z'),
  publicUrl: 'http://deals.test',
  addressId: (deal, location) => `${deal}/${location}`,
  ...more,
});
const answer = (fields: string, deal = parts()): object => shown(DEAL_FIELDS, deal, readFields(fields, DEAL_FIELDS));
const refusalOf = (fields: string): string => {
  try {
    return `was read: ${JSON.stringify(readFields(fields, DEAL_FIELDS))}`;
  } catch (error) {
    if (!(error instanceof BadQuery)) throw error;
    return error.message;
  }
};

describe('a deal in the v3 shape', () => {
  it('2.3, B4, A9: has 47 fields and five more, always in the same order', () => {
    const order = [...SAME_AS_V1, ...ADDITIONS, ...BESIDE];
    expect(Object.keys(DEAL_FIELDS)).toEqual(order);
    expect([SAME_AS_V1.length + ADDITIONS.length, BESIDE.length]).toEqual([47, 5]);
    expect(Object.keys(answer(order.toReversed().join()))).toEqual(order);
    expect(Object.keys(answer('value,id,value, price ,id'))).toEqual(['id', 'value', 'price']);
  });

  it('2.3.1, 2.3: has the same values as the v1 shape in the fields of both', () => {
    for (const deal of [parts(), parts({}, { region: undefined, units: null }), parts({ ...DEAL_DEFAULTS })]) {
      const v1 = presentDeal(deal) as Record<string, unknown>;
      const shared = SAME_AS_V1.filter((name) => name !== 'locations');
      expect(answer(shared.join(), deal)).toEqual(Object.fromEntries(shared.map((name) => [name, v1[name]])));
    }
  });

  it('2.3.2, 2.3.3, 2.3.4, 2.3.5, 2.3, B3, B4: has slugs for ids, four pictures and other names for some fields', () => {
    expect(answer([...ADDITIONS, ...BESIDE].join())).toEqual({
      category_id: 'food-drink',
      subcategory_id: 'cafes',
      cost: FULL.cost,
      expiration_days: FULL.expiration_days,
      images: {
        large: 'http://deals.test/spa.jpg?size=large',
        medium: 'http://deals.test/spa.jpg?size=medium',
        small: 'http://deals.test/spa.jpg?size=_300',
        tiny: 'http://deals.test/spa.jpg?size=tiny',
      },
      merchant_id: 'the merchant_id',
      sold_out: false,
      price: FULL.current_price,
      redemption_url: 'the redemption_url',
      region: 'boston',
      soldout: false,
      starting_price: FULL.current_price,
    });
    const none = parts({ ...DEAL_DEFAULTS }, { units: { stock: 5, held: 3, sold: 2, codes_left: null } });
    expect(answer('category_id,images,sold_out,soldout,price,locations', none)).toEqual({
      locations: [],
      category_id: null,
      images: null,
      sold_out: true,
      price: null,
      soldout: true,
    });
  });

  it('2.3.8, 2.3, 2.4: has an id in each location’s address', () => {
    expect(answer('locations')).toEqual({
      locations: FULL.locations.map((location, n) => ({
        ...location,
        address: { ...location.address, address_id: `spa/${n}` },
      })),
    });
    expect(JSON.stringify(answer('locations', parts({ locations: [place('S')] })))).toBe(
      '{"locations":[{"address":{"region":"MA","postal_code":"02114","street":"S","latitude":42.36,"locality":"Boston",' +
        '"longitude":-71.06,"country":"US","address_id":"spa/0"},"hours":"9-5","phone":"555"}]}',
    );
  });

  it('4.2, B4: shows the requested sub-fields of a field, in a fixed order', () => {
    const json = (fields: string): string => JSON.stringify(answer(fields, parts({ locations: [place('S')] })));
    expect(json('images[tiny,small]')).toBe(
      '{"images":{"small":"http://deals.test/spa.jpg?size=_300","tiny":"http://deals.test/spa.jpg?size=tiny"}}',
    );
    expect(json('locations[phone,address[longitude,latitude]]')).toBe(
      '{"locations":[{"address":{"latitude":42.36,"longitude":-71.06},"phone":"555"}]}',
    );
    expect(json(' locations [ address [ country ] , phone ] , id ')).toBe(
      '{"id":"spa","locations":[{"address":{"country":"US"},"phone":"555"}]}',
    );
    expect(json('locations[phone],locations[hours]')).toBe('{"locations":[{"hours":"9-5","phone":"555"}]}');
    expect(json('images[tiny],images')).toBe(json('images'));
    expect(json('images')).toBe(json('images[large,medium,small,tiny]'));
  });

  it('B4: computes only the requested fields', () => {
    const addressId = (): string => {
      throw new Error('asked');
    };
    expect(answer('locations[address[street]]', parts({}, { addressId }))).toMatchObject({ locations: [{}, {}] });
    expect(() => shown(DEAL_FIELDS, parts({}, { addressId }), allOf(DEAL_FIELDS))).toThrow('asked');
  });

  it.each([
    'colour',
    'image_url',
    'image_url_abs',
    'primary_image',
    'current_price',
    'ended',
    'constructor',
    '__proto__',
    'ID',
    'region name',
  ])('2.3.6, 2.3, B5: %s is not a field', (name) => {
    const refusal = `fields= ${name} is not recognized as a valid field for inclusion in this JSON response`;
    expect([refusalOf(name), refusalOf(`id,${name},title`)]).toEqual([refusal, refusal]);
  });

  it.each([
    ['images[huge]', 'huge is not recognized as a valid field for inclusion in this JSON response'],
    ['images,images[huge]', 'huge is not recognized as a valid field for inclusion in this JSON response'],
    ['locations[street]', 'street is not recognized as a valid field for inclusion in this JSON response'],
    ['locations[address[phone]]', 'phone is not recognized as a valid field for inclusion in this JSON response'],
    ['id[x]', 'x is not recognized as a valid field for inclusion in this JSON response'],
    ['id,,price', 'expected the name of a field at character 4'],
    ['id,', 'expected the name of a field at character 4'],
    ['images[]', 'expected the name of a field at character 8'],
    ['images[small', 'expected "[", "," or "]" at character 13'],
    ['images[small]]', 'expected "," or the end at character 14'],
    ['images small]', 'expected "[", "," or the end at character 13'],
    ['locations[address[street[x]]]', 'expected "," or "]" at character 25'],
  ])('4.2, B5: refuses %s', (fields, wrong) => {
    expect(refusalOf(fields)).toBe(`fields= ${wrong}`);
  });

  it('B5: reads or refuses any text as fields', () => {
    const word = fc.constantFrom('[', ']', ',', ' ', 'id', 'images', 'small', 'locations', 'address');
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(word, { maxLength: 12 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => expect(refusalOf(text)).toMatch(/^was read|^fields= ./s)),
      { numRuns: 1_000 },
    );
    expect(refusalOf('id['.repeat(100_000))).toBe('fields= expected "," or "]" at character 9');
  });
});
