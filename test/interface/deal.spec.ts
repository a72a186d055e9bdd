import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy, reserve } from '../support/buying.js';
import { NO_DEAL } from '../support/refusals.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

/** Interface 2.1, in its order. */
const KEYS =
  `id slug deal_id affinity_score campaign category subcategory category_id subcategory_id combine_linked_offers
  custom_data current_price description1 description2 end_at ended expires_at fine_print fine_print_legalese fixed_fee
  fulfillment_method highlights image_url image_url_abs incentive_amount incentive_percentage instructions locations lowdown
  max_linkage max_per_user max_gift_per_user maximum_allowance merchant_name min_spend num_left num_qualifying number_sold
  offer_construct percent_fee primary_image purchasable_number purchase_url region_id region_name region_slug robotitle
  shipping_address_required show_url situation soldout start_at starting_price state supplier_id supplier_slug tags title
  type value`.split(/\s+/);

const SIZES = `xlarge large medium tiny _103 _135 _180 _198 _222 _300 _306 _316 _372 _400 _498 _640 _660 featured show
  thumb`.split(/\s+/);

describe('one deal', () => {
  let service: RunningService;
  let acme: TestPartner;
  let user: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    user = await service.newUser(acme.key, 'ann@example.com');
  });
  afterAll(() => service.discard());

  const deal = async (slug: string): Promise<Json> => (await service.look(`/v1/deals/${slug}`, acme.key)).body.deal;

  it('2.1, B3, A9: has every attribute, given or derived, in the order of the interface', async () => {
    const attributes = {
      start_at: '2026-01-02T03:04:05Z',
      end_at: '2036-07-01T00:00:00+02:00',
      affinity_score: 4.5,
      campaign: 'spring',
      category: 'Food',
      subcategory: 'Fish',
      category_id: 7,
      subcategory_id: 71,
      combine_linked_offers: true,
      custom_data: { z: [1, { b: null }], a: 'ä' },
      current_price: 1234,
      description1: 'first',
      description2: 'second',
      expires_at: '2036-08-01T12:00:00Z',
      fine_print: 'fine',
      fine_print_legalese: 'legal',
      fixed_fee: 5,
      fulfillment_method: 'printed',
      highlights: 'high',
      image: '/images/a b.jpg',
      incentive_amount: 6,
      instructions: 'do',
      locations: [
        {
          phone: '555',
          hours: '9-17',
          address: {
            country: 'US',
            longitude: -71.5,
            latitude: 42.25,
            locality: 'Boston',
            street: '1 A St',
            postal_code: 2114,
            region: 'MA',
          },
        },
      ],
      max_linkage: 9,
      max_per_user: 3,
      max_gift_per_user: 2,
      maximum_allowance: 11,
      merchant_name: 'Bob',
      min_spend: 12,
      num_qualifying: 13,
      offer_construct: 'offer',
      percent_fee: 14,
      robotitle: 'robo',
      shipping_address_required: true,
      supplier_id: 'sup',
      tags: ['x', 'y'],
      title: 'Title',
      value: 2468,
      stock: 10,
    };
    await service.newDeal('full', attributes);
    await buy(service, acme.key, 'full', user, 2);
    await reserve(service, acme.key, 'full', 3);

    const found = await deal('full');
    expect(Object.keys(found)).toEqual(KEYS);
    const picture = (size: string): string => `${service.url}/images/a%20b.jpg?size=${size}`;
    const { primary_image, ...rest } = found;
    expect(rest).toEqual({
      id: 'full',
      slug: 'full',
      deal_id: 'full',
      affinity_score: 4.5,
      campaign: 'spring',
      category: 'Food',
      subcategory: 'Fish',
      category_id: 7,
      subcategory_id: 71,
      combine_linked_offers: true,
      custom_data: { z: [1, { b: null }], a: 'ä' },
      current_price: 1234,
      description1: 'first',
      description2: 'second',
      end_at: '2036-06-30T22:00:00Z',
      ended: false,
      expires_at: '2036-08-01T08:00:00-04:00',
      fine_print: 'fine',
      fine_print_legalese: 'legal',
      fixed_fee: 5,
      fulfillment_method: 'printed',
      highlights: 'high',
      image_url: '/images/a%20b.jpg?size=medium',
      image_url_abs: picture('medium'),
      incentive_amount: 6,
      incentive_percentage: null,
      instructions: 'do',
      locations: [
        {
          address: {
            region: 'MA',
            postal_code: '2114',
            street: '1 A St',
            latitude: 42.25,
            locality: 'Boston',
            longitude: -71.5,
            country: 'US',
          },
          hours: '9-17',
          phone: '555',
        },
      ],
      lowdown: 'first',
      max_linkage: 9,
      max_per_user: 3,
      max_gift_per_user: 2,
      maximum_allowance: 11,
      merchant_name: 'Bob',
      min_spend: 12,
      num_left: 5,
      num_qualifying: 13,
      number_sold: 2,
      offer_construct: 'offer',
      percent_fee: 14,
      purchasable_number: 3,
      purchase_url: `${service.url}/deals/full/purchase`,
      region_id: 'testland',
      region_name: 'Testland',
      region_slug: 'testland',
      robotitle: 'robo',
      shipping_address_required: true,
      show_url: `${service.url}/deals/full`,
      situation: 'second',
      soldout: false,
      start_at: '2026-01-02T03:04:05Z',
      starting_price: 1234,
      state: 'in-flight',
      supplier_id: 'sup',
      supplier_slug: 'sup',
      tags: ['x', 'y'],
      title: 'Title',
      type: 'on-going',
      value: 2468,
    });
    expect(Object.keys(primary_image)).toEqual(SIZES);
    for (const size of SIZES) {
      expect(Object.keys(primary_image[size])).toEqual(['size', 'dimensions', 'url']);
      expect(primary_image[size]).toMatchObject({ size, url: picture(size) });
      expect(primary_image[size].dimensions).toMatch(/^\d+x\d+$/);
    }
    expect(Object.keys(found.custom_data)).toEqual(['z', 'a']);
  });

  it('2.1.11, 2.4.1, 2.4.2, 2.4, A9: has locations with their keys in order, absent parts null, absent hours and phone empty', async () => {
    await service.newDeal('placed', { locations: [{ address: { longitude: 2, latitude: 1 } }] });
    const [location] = (await deal('placed')).locations;
    expect(JSON.stringify(location)).toBe(
      '{"address":{"region":null,"postal_code":null,"street":null,"latitude":1,"locality":null,"longitude":2,"country":null},"hours":"","phone":""}',
    );
  });

  it('2.1, 2.2, B3: has every key; those that do not apply are null', async () => {
    await service.newDeal('bare', { type: 'card-linked', current_price: null, value: null, stock: null, image: null });
    const found = await deal('bare');
    expect(Object.keys(found)).toEqual(KEYS);
    const filled = Object.entries(found).filter(([, each]) => each !== null);
    expect(filled.map(([name]) => name)).toEqual(
      `id slug deal_id custom_data end_at ended locations number_sold offer_construct purchase_url region_id region_name
      region_slug shipping_address_required show_url soldout start_at state tags title type`.split(/\s+/),
    );
    expect(found).toMatchObject({
      custom_data: {},
      offer_construct: '',
      locations: [],
      tags: [],
      number_sold: 0,
      soldout: false,
      num_left: null,
      purchasable_number: null,
      type: 'card-linked',
    });
  });

  it('9.4, 9.5, 9.6, 9.7, 9.8, 9.9, 9.10, 9, B3: has the same values under the deprecated names as under their replacements', async () => {
    await service.newDeal('twice', { description1: 'one', description2: 'two', supplier_id: 'three' });
    const found = await deal('twice');
    expect([found.slug, found.deal_id]).toEqual(['twice', 'twice']);
    expect([found.lowdown, found.situation, found.supplier_slug]).toEqual(['one', 'two', 'three']);
    expect([found.region_slug, found.starting_price]).toEqual([found.region_id, found.current_price]);
    expect(found.image_url_abs).toBe(`${service.url}${found.image_url}`);
    expect(found.primary_image.medium.url).toBe(found.image_url_abs);
  });

  it('2.1.3, 2.1: shows the legal text only when its coupons are printed', async () => {
    await service.newDeal('legal', { fine_print_legalese: 'L', fulfillment_method: 'shipped' });
    expect((await deal('legal')).fine_print_legalese).toBeNull();
    await service.operate('PUT', '/deals/legal', { fulfillment_method: 'printed' });
    expect((await deal('legal')).fine_print_legalese).toBe('L');
  });

  it('H1: a deal has an incentive amount or a percentage, and is refused when it is given both', async () => {
    await service.newDeal('incentive', { incentive_amount: 500 });
    const put = (attributes: object): Promise<Answer> =>
      service.ask('PUT', '/operators/deals/incentive', { token: service.operatorToken, body: attributes });
    const refused = await put({ incentive_percentage: 10 });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [
        {
          type: 'invalid',
          message: 'must be null in a deal with an incentive_amount',
          field: 'incentive_percentage',
          resource: 'deal',
        },
      ],
    ]);
    expect((await put({ incentive_percentage: 10, incentive_amount: null })).status).toBe(200);
    expect(await deal('incentive')).toMatchObject({ incentive_amount: null, incentive_percentage: 10 });
  });

  it('2.1.12, B3: num_left counts units neither held nor sold, null is unlimited; purchasable_number is the smaller limit', async () => {
    await service.newDeal('few', { stock: 4, max_per_user: 3 });
    const units = async (slug: string): Promise<Json> => {
      const { num_left, number_sold, purchasable_number, soldout } = await deal(slug);
      return { num_left, number_sold, purchasable_number, soldout };
    };
    expect(await units('few')).toEqual({ num_left: 4, number_sold: 0, purchasable_number: 3, soldout: false });
    await buy(service, acme.key, 'few', user, 2);
    expect(await units('few')).toEqual({ num_left: 2, number_sold: 2, purchasable_number: 2, soldout: false });
    await reserve(service, acme.key, 'few', 2);
    expect(await units('few')).toEqual({ num_left: 0, number_sold: 2, purchasable_number: 0, soldout: true });
    await service.newDeal('endless', { stock: null, max_per_user: 7 });
    await buy(service, acme.key, 'endless', user, 5);
    expect(await units('endless')).toEqual({ num_left: null, number_sold: 5, purchasable_number: 7, soldout: false });
  });

  it.each([
    ['America/New_York', '2036-03-09T06:59:59Z', '2036-03-09T01:59:59-05:00'],
    ['America/New_York', '2036-03-09T07:00:00Z', '2036-03-09T03:00:00-04:00'],
    ['America/New_York', '2036-11-02T05:59:59Z', '2036-11-02T01:59:59-04:00'],
    ['America/New_York', '2036-11-02T06:00:00Z', '2036-11-02T01:00:00-05:00'],
    ['America/Los_Angeles', '2013-12-18T07:59:59Z', '2013-12-17T23:59:59-08:00'],
    ['Asia/Kolkata', '2036-01-01T00:00:00Z', '2036-01-01T05:30:00+05:30'],
    ['UTC', '2036-01-01T00:00:00Z', '2036-01-01T00:00:00+00:00'],
  ])('2.1.7, 2.1, B1, G3: in %s shows the voucher expiry %s as %s', async (time_zone, expires_at, local) => {
    await service.operate('PUT', '/regions/zone', { name: 'Zone', time_zone });
    await service.operate('PUT', '/deals/zoned', {
      title: 'Zoned',
      region_id: 'zone',
      start_at: '2010-01-01T00:00:00Z',
      end_at: '2013-01-01T00:00:00Z',
      current_price: 1,
      value: 2,
      expires_at,
    });
    expect((await deal('zoned')).expires_at).toBe(local);
  });

  it('4.3.2, 7.1.1, 4.3, 7.1: is 404 when unknown', async () => {
    for (const slug of ['nothing', 'constructor', '__proto__', 'a'.repeat(3000), '%00', '%F0%9F%98%80', 'A%20B']) {
      const answer = await service.ask('GET', `/deals/${slug}`, { key: acme.key });
      expect([answer.status, answer.text]).toEqual([404, NO_DEAL]);
    }
  });

  it('B2: has a slug of a-z, 0-9 and -, up to 200 characters; locate is reserved', async () => {
    const longest = 'a'.repeat(200);
    await service.newDeal(longest);
    expect((await deal(longest)).id).toBe(longest);
    for (const slug of ['A', 'a_b', '-a', 'a-', 'a--b', 'ä', 'a.b', `${longest}a`, 'locate']) {
      const answer = await service.ask('PUT', `/operators/deals/${encodeURIComponent(slug)}`, {
        token: service.operatorToken,
        body: {},
      });
      expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([422, 'slug']);
    }
  });

  it('D1: does not count a hold after its deadline, even before an event records the expiry', async () => {
    const slow = await RunningService.start({ env: { TIMERS: 'false' } });
    try {
      const partner = await slow.newPartner('slow');
      await slow.newDeal('timed', { stock: 3 });
      await reserve(slow, partner.key, 'timed', 2);
      const left = async (): Promise<number> => (await slow.look('/deals/timed', partner.key)).body.deal.num_left;
      expect(await left()).toBe(1);
      await slow.forward(301);
      expect(await left()).toBe(3);
    } finally {
      await slow.discard();
    }
  });
});
