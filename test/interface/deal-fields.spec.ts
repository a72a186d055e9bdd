import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy } from '../support/buying.js';
import { RunningService, type Json, type TestPartner } from '../support/running-service.js';

const PLACE = { region: 'MA', postal_code: '02114', street: '1 A St', latitude: 42.25, locality: 'Boston' };
const SIZES =
  'xlarge large medium tiny _103 _135 _180 _198 _222 _300 _306 _316 _372 _400 _498 _640 _660 featured show thumb';

/** The attributes that an operator gives a deal, and what both generations of calls show of it. */
interface Group {
  readonly rule: string;
  readonly what: string;
  readonly given: Json;
  readonly v1: (slug: string, url: string) => Json;
  /** The fields of the v3 list that have the same values; those of v1 that it lacks are left out. */
  readonly v3: readonly string[];
}

const GROUPS: readonly Group[] = [
  {
    rule: '2.1.1',
    what: 'its identifiers',
    given: {},
    v1: (slug) => ({ id: slug, slug, deal_id: slug }),
    v3: ['id'],
  },
  {
    rule: '2.1.2',
    what: 'its texts',
    given: {
      ...{
        title: 'A title',
        robotitle: 'A robot’s title',
        campaign: 'spring',
        description1: 'one',
        description2: 'two',
      },
      ...{ highlights: 'high', instructions: 'do', fine_print: 'fine' },
    },
    v1: () => ({
      ...{
        title: 'A title',
        robotitle: 'A robot’s title',
        campaign: 'spring',
        description1: 'one',
        description2: 'two',
      },
      ...{ lowdown: 'one', situation: 'two', highlights: 'high', instructions: 'do', fine_print: 'fine' },
    }),
    v3: ['title', 'robotitle', 'campaign', 'description1', 'description2', 'highlights', 'instructions', 'fine_print'],
  },
  {
    rule: '2.1.3',
    what: 'its legal text, if it is printed',
    given: { fulfillment_method: 'printed', fine_print_legalese: 'legal' },
    v1: () => ({ fine_print_legalese: 'legal' }),
    v3: ['fine_print_legalese'],
  },
  {
    rule: '2.1.4',
    what: 'its category and subcategory',
    given: { category: 'Food', subcategory: 'Fish', category_id: 7, subcategory_id: 71 },
    v1: () => ({ category: 'Food', subcategory: 'Fish', category_id: 7, subcategory_id: 71 }),
    v3: ['category', 'subcategory'],
  },
  {
    rule: '2.1.5',
    what: 'its score, its own data and its tags',
    given: { affinity_score: 4.5, combine_linked_offers: true, custom_data: { z: [1], a: null }, tags: ['x', 'y'] },
    v1: () => ({
      affinity_score: 4.5,
      combine_linked_offers: true,
      custom_data: { z: [1], a: null },
      tags: ['x', 'y'],
    }),
    v3: ['tags'],
  },
  {
    rule: '2.1.6',
    what: 'its prices, in cents',
    given: { current_price: 1250, value: 2500 },
    v1: () => ({ current_price: 1250, value: 2500, starting_price: 1250 }),
    v3: ['value', 'starting_price'],
  },
  {
    rule: '2.1.7',
    what: 'its times',
    given: {
      start_at: '2026-01-02T03:04:05Z',
      end_at: '2036-07-01T00:00:00+02:00',
      expires_at: '2036-08-01T12:00:00Z',
    },
    v1: () => ({
      start_at: '2026-01-02T03:04:05Z',
      end_at: '2036-06-30T22:00:00Z',
      ended: false,
      expires_at: '2036-08-01T08:00:00-04:00',
    }),
    v3: ['start_at', 'end_at', 'expires_at'],
  },
  {
    rule: '2.1.8',
    what: 'how it is handed over',
    given: { fulfillment_method: 'shipped', shipping_address_required: true },
    v1: () => ({ fulfillment_method: 'shipped', shipping_address_required: true }),
    v3: ['fulfillment_method', 'shipping_address_required'],
  },
  {
    rule: '2.1.9',
    what: 'the terms of a card-linked offer',
    given: {
      ...{ type: 'card-linked', current_price: null, value: null, stock: null, fixed_fee: 5, percent_fee: 14 },
      ...{ incentive_percentage: 10, max_linkage: 9, maximum_allowance: 11, min_spend: 12, num_qualifying: 13 },
      offer_construct: '10% off',
    },
    v1: () => ({
      ...{ fixed_fee: 5, percent_fee: 14, incentive_amount: null, incentive_percentage: 10, max_linkage: 9 },
      ...{ maximum_allowance: 11, min_spend: 12, num_qualifying: 13, offer_construct: '10% off' },
    }),
    v3: [
      ...['fixed_fee', 'percent_fee', 'incentive_amount', 'incentive_percentage', 'max_linkage'],
      ...['maximum_allowance', 'min_spend', 'num_qualifying'],
    ],
  },
  {
    rule: '2.1.10',
    what: 'its picture in all sizes',
    given: { image: '/images/a b.jpg' },
    v1: (_, url) => ({
      image_url: '/images/a%20b.jpg?size=medium',
      image_url_abs: `${url}/images/a%20b.jpg?size=medium`,
      primary_image: Object.fromEntries(
        SIZES.split(' ').map((size) => [
          size,
          { size, dimensions: expect.stringMatching(/^\d+x\d+$/), url: `${url}/images/a%20b.jpg?size=${size}` },
        ]),
      ),
    }),
    v3: [],
  },
  {
    rule: '2.1.11',
    what: 'its locations',
    given: { locations: [{ address: { ...PLACE, longitude: -71.5, country: 'US' }, hours: '9-17', phone: '555' }] },
    v1: () => ({
      locations: [{ address: { ...PLACE, longitude: -71.5, country: 'US' }, hours: '9-17', phone: '555' }],
    }),
    v3: [],
  },
  {
    rule: '2.1.12',
    what: 'its units',
    given: { stock: 2, max_per_user: 3 },
    v1: () => ({ max_per_user: 3, num_left: 2, number_sold: 0, purchasable_number: 2, soldout: false }),
    v3: ['max_per_user', 'num_left', 'number_sold', 'soldout'],
  },
  {
    rule: '2.1.13',
    what: 'how many gifts a user may buy',
    given: { max_gift_per_user: 2 },
    v1: () => ({ max_gift_per_user: 2 }),
    v3: ['max_gift_per_user'],
  },
  {
    rule: '2.1.14',
    what: 'the addresses of its pages',
    given: {},
    v1: (slug, url) => ({ show_url: `${url}/deals/${slug}`, purchase_url: `${url}/deals/${slug}/purchase` }),
    v3: ['show_url', 'purchase_url'],
  },
  {
    rule: '2.1.15',
    what: 'its region',
    given: {},
    v1: () => ({ region_id: 'testland', region_name: 'Testland', region_slug: 'testland' }),
    v3: ['region_id', 'region_name'],
  },
  {
    rule: '2.1.16',
    what: 'its merchant and its supplier',
    given: { merchant_name: 'Bob', supplier_id: 'sup' },
    v1: () => ({ merchant_name: 'Bob', supplier_id: 'sup', supplier_slug: 'sup' }),
    v3: ['merchant_name', 'supplier_id'],
  },
  {
    rule: '2.1.17',
    what: 'its state and its type',
    given: {},
    v1: () => ({ state: 'in-flight', type: 'daily-deal' }),
    v3: ['state', 'type'],
  },
];

/** Fields that only v3 has. */
const V3_ONLY: readonly (readonly [rule: string, what: string, given: Json, shown: (url: string) => Json])[] = [
  [
    '2.3.2',
    'slugs of its category and subcategory',
    { category: 'Food & Drink', subcategory: 'Fish', category_id: 7, subcategory_id: 71 },
    () => ({ category_id: 'food-drink', subcategory_id: 'fish' }),
  ],
  [
    '2.3.3',
    'its cost, its days and its merchant’s id',
    { cost: 500, expiration_days: 30, merchant_id: 'm-1' },
    () => ({ cost: 500, expiration_days: 30, merchant_id: 'm-1' }),
  ],
  [
    '2.3.4',
    'four pictures',
    { image: '/spa.jpg' },
    (url) => ({
      images: {
        large: `${url}/spa.jpg?size=large`,
        medium: `${url}/spa.jpg?size=medium`,
        small: `${url}/spa.jpg?size=_300`,
        tiny: `${url}/spa.jpg?size=tiny`,
      },
    }),
  ],
  ['2.3.5', 'sold_out, and soldout as in v1', { stock: 0 }, () => ({ sold_out: true, soldout: true })],
  [
    '2.3.8',
    'an id in the address of each location',
    { locations: [{ address: { ...PLACE, longitude: -71.5 } }] },
    () => ({
      locations: [
        {
          address: { ...PLACE, longitude: -71.5, country: null, address_id: expect.stringMatching(/^[0-9a-f]{32}$/) },
          hours: '',
          phone: '',
        },
      ],
    }),
  ],
];

describe('fields of a deal', () => {
  let service: RunningService;
  let acme: TestPartner;
  let basic: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    const { username, password } = await service.operate('POST', `/partners/${acme.id}/password`);
    basic = `${username}:${password}`;
  });
  afterAll(() => service.discard());

  const shown = async (slug: string): Promise<Json> => (await service.look(`/deals/${slug}`, acme.key)).body.deal;
  const inV3 = async (slug: string, fields: readonly string[]): Promise<Json> => {
    const query = new URLSearchParams({ fields: ['id', ...fields].join(), per_page: '1000' });
    const { body } = await service.look(`/api/v3/deals?${query.toString()}`, acme.key, { key: undefined, basic });
    const { id: _, ...deal } = (body.deals as Json[]).find(({ id }) => id === slug) ?? {};
    return deal;
  };

  it.each(GROUPS.map((group) => [group.rule, group.what, group] as const))(
    '%s: a deal shows %s, in v3 with the same values',
    async (rule, _, { given, v1, v3 }) => {
      const slug = `deal-${rule.replaceAll('.', '-')}`;
      await service.newDeal(slug, given);
      const deal = await shown(slug);
      const expected = v1(slug, service.url);
      expect(Object.fromEntries(Object.keys(expected as object).map((name) => [name, deal[name]]))).toEqual(expected);
      const names = v3.filter((name) => name !== 'id');
      expect(await inV3(slug, names)).toEqual(Object.fromEntries(names.map((name) => [name, deal[name]])));
    },
  );

  it.each(V3_ONLY)('%s: a v3 deal shows %s', async (rule, _, given, expected) => {
    const slug = `deal-${rule.replaceAll('.', '-')}`;
    await service.newDeal(slug, given);
    const fields = expected(service.url);
    expect(await inV3(slug, Object.keys(fields as object))).toEqual(fields);
  });

  it('2.3.9: a v3 list has deals, and a status only in an error', async () => {
    const list = (query: string): Promise<Json> =>
      service.ask('GET', `/api/v3/deals?${query}`, { basic }).then(({ body }) => body);
    expect(Object.keys((await list('fields=id&per_page=1000')) as object)).toEqual(['deals']);
    expect(Object.keys((await list('fields=id&per_page=1')) as object)).toEqual(['deals', 'next_page']);
    expect((await list('fields=nothing')).status).toBe('error');
  });

  it('2.1.13: the number of gifts has no effect: a user buys as much as max_per_user allows', async () => {
    await service.newDeal('gifts', { max_gift_per_user: 0, max_per_user: 3, stock: 5 });
    const ann = await service.newUser(acme.key, 'ann@example.org');
    expect(await shown('gifts')).toMatchObject({ max_gift_per_user: 0, purchasable_number: 3 });
    expect((await buy(service, acme.key, 'gifts', ann, 3)).number_bought).toBe(3);
    expect(await shown('gifts')).toMatchObject({ max_gift_per_user: 0, num_left: 2, number_sold: 3 });
  });

  it('2.1.5, 2.1.9: a score, own data and fees have no effect on what a buyer pays', async () => {
    await service.newDeal('fees', {
      affinity_score: 0,
      custom_data: { current_price: 1 },
      fixed_fee: 99,
      percent_fee: 50,
    });
    const bob = await service.newUser(acme.key, 'bob@example.org');
    expect(await buy(service, acme.key, 'fees', bob, 2)).toMatchObject({ price: 1000, amount: 2000 });
  });
});
