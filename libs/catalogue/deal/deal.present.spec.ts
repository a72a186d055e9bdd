import { describe, expect, it } from '@jest/globals';
import { DEAL_DEFAULTS, type DealAttributes } from './deal.attributes.js';
import type { Units } from '#purchasing/model';
import { presentDeal, type DealParts } from './deal.present.js';

const NOW = Date.parse('2013-10-20T00:00:00Z');
const attributes: DealAttributes = {
  ...DEAL_DEFAULTS,
  title: 'A day at the spa',
  type: 'daily-deal',
  region_id: 'san-francisco',
  start_at: Date.parse('2013-10-15T07:00:00Z'),
  end_at: Date.parse('2013-10-25T06:59:59Z'),
  expires_at: Date.parse('2013-12-18T07:59:59Z'),
  current_price: 1_999,
  value: 4_000,
  description1: 'One',
  description2: 'Two',
  supplier_id: 'acme-spas',
  fine_print_legalese: 'small',
  image: '/spa.jpg',
};
const parts = (given: Partial<DealAttributes> = {}, more: Partial<DealParts> = {}): DealParts => ({
  row: { deal_id: 'spa', state: 'approved', attributes: { ...attributes, ...given } },
  region: {
    id: 'san-francisco',
    name: 'San Francisco',
    time_zone: 'America/Los_Angeles',
    active: true,
    latitude: null,
    longitude: null,
    radius: null,
  },
  units: { stock: 10, held: 3, sold: 2, codes_left: null },
  ranOut: 0,
  now: NOW,
  publicUrl: 'http://deals.test',
  ...more,
});
const shown = (given?: Partial<DealAttributes>, more?: Partial<DealParts>): Record<string, unknown> =>
  presentDeal(parts(given, more));

describe('a deal’s answer', () => {
  it('A9 B3 2.1: has every attribute, in the order of the interface', () => {
    expect(Object.keys(shown())).toEqual(
      (
        'id slug deal_id affinity_score campaign category subcategory category_id subcategory_id combine_linked_offers ' +
        'custom_data current_price description1 description2 end_at ended expires_at fine_print fine_print_legalese ' +
        'fixed_fee fulfillment_method highlights image_url image_url_abs incentive_amount incentive_percentage ' +
        'instructions locations lowdown max_linkage max_per_user max_gift_per_user maximum_allowance merchant_name ' +
        'min_spend num_left num_qualifying number_sold offer_construct percent_fee primary_image purchasable_number ' +
        'purchase_url region_id region_name region_slug robotitle shipping_address_required show_url situation soldout ' +
        'start_at starting_price state supplier_id supplier_slug tags title type value'
      ).split(' '),
    );
  });

  it('B3: has null for absent attributes, "" for offer_construct, {} for custom_data; it leaves none out', () => {
    const answer = shown({}, { region: undefined, units: null });
    expect(Object.values(answer)).not.toContain(undefined);
    expect(answer).toMatchObject({ offer_construct: '', custom_data: {}, campaign: null, region_name: null, tags: [] });
  });

  it('B3: has the same values under deprecated names, and builds URLs from the public one', () => {
    expect(shown()).toMatchObject({
      id: 'spa',
      slug: 'spa',
      deal_id: 'spa',
      starting_price: 1_999,
      situation: 'Two',
      lowdown: 'One',
      region_slug: 'san-francisco',
      region_name: 'San Francisco',
      supplier_slug: 'acme-spas',
      image_url: '/spa.jpg?size=medium',
      image_url_abs: 'http://deals.test/spa.jpg?size=medium',
      show_url: 'http://deals.test/deals/spa',
      purchase_url: 'http://deals.test/deals/spa/purchase',
    });
  });

  it('B3 2.1: has pictures in every size, in the order of the ruling', () => {
    const pictures = shown()['primary_image'] as Record<string, { size: string; dimensions: string; url: string }>;
    expect(Object.keys(pictures)).toEqual(
      'xlarge large medium tiny _103 _135 _180 _198 _222 _300 _306 _316 _372 _400 _498 _640 _660 featured show thumb'.split(
        ' ',
      ),
    );
    for (const [size, picture] of Object.entries(pictures)) {
      expect(picture).toEqual({
        size,
        dimensions: expect.stringMatching(/^\d+x\d+$/),
        url: `http://deals.test/spa.jpg?size=${size}`,
      });
    }
    expect(shown({ image: null })).toMatchObject({ primary_image: null, image_url: null, image_url_abs: null });
  });

  it('B1: has times in UTC, and the expiry in the region’s local time', () => {
    expect(shown()).toMatchObject({
      start_at: '2013-10-15T07:00:00Z',
      end_at: '2013-10-25T06:59:59Z',
      expires_at: '2013-12-17T23:59:59-08:00',
    });
    expect(shown({ expires_at: null })['expires_at']).toBeNull();
  });

  it('C1: has a state and `ended` that follow the clock', () => {
    expect(shown()).toMatchObject({ state: 'in-flight', ended: false });
    expect(shown({}, { now: attributes.end_at })).toMatchObject({ state: 'landed', ended: true });
    expect(shown({}, { now: attributes.start_at - 1 })).toMatchObject({ state: 'approved', ended: false });
  });

  it('2.1: has the legal text only for printed coupons', () => {
    expect(shown()['fine_print_legalese']).toBeNull();
    expect(shown({ fulfillment_method: 'printed' })['fine_print_legalese']).toBe('small');
  });

  it.each<readonly [string, Partial<Units> | undefined, number, number | null, boolean]>([
    ['stock less held and sold', {}, 0, 5, false],
    ['holds that ran out count as free', {}, 3, 8, false],
    ['sold out', { held: 4, sold: 6 }, 0, 0, true],
    ['unlimited', { stock: null }, 0, null, false],
    ['never known', undefined, 0, null, false],
    ['the codes of a pool', { codes_left: 4 }, 0, 1, false],
    ['the codes of a pool, of unlimited stock', { stock: null, codes_left: 4 }, 3, 4, false],
    // A pool that is smaller than older holds, and a view of holds that is ahead of the stock's row.
    ['never below zero', { codes_left: 1 }, 0, 0, true],
    ['never frees more than was held', {}, 9, 8, false],
  ])('B3 D1: num_left: %s', (_, stock, ranOut, numLeft, soldout) => {
    const units = stock === undefined ? null : { stock: 10, held: 3, sold: 2, codes_left: null, ...stock };
    expect(shown({}, { units, ranOut })).toMatchObject({ num_left: numLeft, soldout });
  });

  it('B3: has the smaller of max_per_user and num_left as purchasable_number', () => {
    const number = (max_per_user: number | null, stock: number | null): unknown =>
      shown({ max_per_user }, { units: { stock, held: 0, sold: 0, codes_left: null } })['purchasable_number'];
    expect([number(2, 5), number(5, 2), number(null, 5), number(5, null), number(null, null)]).toEqual([
      2,
      2,
      5,
      5,
      null,
    ]);
  });
});
