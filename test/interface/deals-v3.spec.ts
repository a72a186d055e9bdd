import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { at, buy, reserve, timeOf } from '../support/buying.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

const DAY = 86_400_000;
const DEALS = 200;

const FIELDS = (
  'id campaign category description1 description2 end_at expires_at fine_print fine_print_legalese fixed_fee ' +
  'fulfillment_method highlights incentive_amount incentive_percentage instructions locations max_linkage max_per_user ' +
  'max_gift_per_user maximum_allowance merchant_name min_spend num_left num_qualifying number_sold percent_fee ' +
  'purchase_url region_id region_name robotitle shipping_address_required show_url start_at state subcategory ' +
  'supplier_id tags title type value category_id subcategory_id cost expiration_days images merchant_id sold_out ' +
  'price redemption_url region soldout starting_price'
).split(' ');
const UNSORTABLE = 'locations shipping_address_required tags images sold_out redemption_url region soldout'.split(' ');
const SORTABLE = FIELDS.filter((name) => !UNSORTABLE.includes(name));

/** Two regions have the same name, and the order of names differs from that of slugs. */
const REGIONS: Readonly<Record<string, object>> = {
  boston: { name: 'The Hub', latitude: 42.36, longitude: -71.06, radius: 30 },
  'new-york': { name: 'Big Apple', latitude: 40.71, longitude: -74.0, radius: 30 },
  atlanta: { name: 'The Hub', latitude: 33.75, longitude: -84.39, radius: 30 },
  remote: { name: 'away' },
};
/** The cities are in regions of other names. */
const CITIES = { 'Boston,MA': 'boston', 'Cambridge,MA': 'boston', 'new york,ny': 'new-york', 'Atlanta,GA': 'atlanta' };

/** The same numbers in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('GET /api/v3/deals', () => {
  let service: RunningService;
  let acme: TestPartner;
  let basic: string;
  /** Every in-flight deal with all of its fields. */
  let all: Json[];

  const ask = (path: string): Promise<Answer> => service.look(path, acme.key, { basic });
  const list = (query: Readonly<Record<string, string | number>>): Promise<Answer> =>
    ask(`/api/v3/deals?${new URLSearchParams(query as Record<string, string>).toString()}`);
  const ids = ({ body }: Answer): string[] => body.deals.map(({ id }: Json) => id);

  beforeAll(async () => {
    service = await RunningService.start();
    const made = await service.operate('POST', '/partners', { name: 'acme', slug: 'acme' });
    acme = { id: made.partner.id, key: made.api_key, keyId: made.key_id };
    basic = `${made.username}:${made.password}`;
    const now = Math.floor((await timeOf(service)) / 1000) * 1000;
    for (const [slug, region] of Object.entries(REGIONS)) {
      await service.operate('PUT', `/regions/${slug}`, { time_zone: 'America/New_York', ...region });
    }
    const random = numbers(7);
    const oneOf = <T>(...values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const upTo = (most: number): number | null => (random() < 0.15 ? null : Math.floor(random() * (most + 1)));
    const words = (): string | null => oneOf(null, 'alpha', 'Beta', 'gamma', 'Ünder', 'zeta 😀', 'zeta \uffee');
    const texts = [
      'campaign',
      'description1',
      'description2',
      'fine_print',
      'fine_print_legalese',
      'highlights',
    ].concat(['instructions', 'merchant_name', 'merchant_id', 'robotitle', 'supplier_id']);
    const amounts = [
      'fixed_fee',
      'incentive_amount',
      'incentive_percentage',
      'max_linkage',
      'max_gift_per_user',
    ].concat(['maximum_allowance', 'min_spend', 'num_qualifying', 'percent_fee', 'cost']);
    const deals = Array.from({ length: DEALS }, (_, n) => {
      const priceless = random() < 0.1;
      const start = now - Math.ceil(random() * 5) * DAY;
      return {
        // One slug may continue another one.
        slug: `d-${Math.floor(n / 2)}${n % 2 === 0 ? '' : '-b'}`,
        body: {
          title: `${oneOf('A', 'b', 'É')} deal ${n % 17}`,
          region_id: oneOf(...Object.keys(REGIONS)),
          start_at: at(start),
          end_at: at(now + Math.ceil(random() * 20) * DAY),
          ...(priceless
            ? { type: oneOf('card-linked', 'affiliate') }
            : { current_price: upTo(9) ?? 5, value: 100 + n }),
          category: oneOf(null, 'Food & Drink', 'Spa', 'Days Out'),
          subcategory: oneOf(null, 'Cafés', 'Tea Rooms'),
          expires_at: oneOf(null, at(now + (20 + Math.ceil(random() * 300)) * DAY)),
          expiration_days: oneOf(null, 1, 30, 365),
          fulfillment_method: oneOf(null, 'redemptioncoded', 'printed', 'shipped'),
          max_per_user: oneOf(null, 5, 10),
          stock: oneOf(null, 0, 1, 3, 50),
          image: oneOf(null, '/spa.jpg'),
          redemption_url: oneOf(null, 'https://shop.example/a', 'HTTP://shop.example/É?b=c'),
          tags: oneOf([], ['a', 'b']),
          shipping_address_required: random() < 0.5,
          locations: Array.from({ length: Math.floor(random() * 3) }, () => ({
            address: { latitude: 42 + random() * 2, longitude: -72 + random() * 2, street: 'Main St' },
          })),
          ...Object.fromEntries(texts.map((name) => [name, words()])),
          ...Object.fromEntries(amounts.map((name) => [name, upTo(20)])),
          num_qualifying: oneOf(null, 1, 7, 20),
          // A deal has one of the two at most (ruling H1).
          ...(n % 2 === 0 ? { incentive_amount: null } : { incentive_percentage: null }),
        },
        moves:
          n % 20 === 0 ? ['in-review'] : n % 20 === 1 ? ['in-review', 'approved', 'paused'] : ['in-review', 'approved'],
      };
    });
    for (let n = 0; n < DEALS; n += 10) {
      await Promise.all(
        deals.slice(n, n + 10).map(async ({ slug, body, moves }) => {
          await service.operate('PUT', `/deals/${slug}`, body);
          for (const to of moves) await service.operate('POST', `/deals/${slug}/transitions`, { to });
        }),
      );
    }
    for (const [slug, days] of [
      ['to-come', [1, 2]],
      ['gone', [-2, -1]],
    ] as const) {
      await service.newDeal(slug, { start_at: at(now + days[0] * DAY), end_at: at(now + days[1] * DAY) });
    }
    const buyer = await service.newUser(acme.key, 'ann@example.com');
    const sellable = deals.filter(({ body, moves }) => 'value' in body && moves.length === 2 && (body.stock ?? 3) >= 3);
    for (const { slug } of sellable.slice(0, 12)) await buy(service, acme.key, slug, buyer);
    for (const { slug } of sellable.slice(6, 18)) await reserve(service, acme.key, slug, 2);
    await service.operate('PUT', '/regions/remote', { name: 'away' });
    all = (await list({ fields: FIELDS.join(), per_page: 1000 })).body.deals;
  });
  afterAll(() => service.discard());

  it('2.3.7, 4.2.10, 2.3, 4.2, 3.1, A9, C1: without filters it lists all in-flight deals, latest end first, every field in order', async () => {
    expect(all).toHaveLength(DEALS * 0.9);
    for (const deal of all) {
      expect(Object.keys(deal)).toEqual(FIELDS);
      expect(deal.state).toBe('in-flight');
    }
    expect(all.map(({ id }) => id)).toEqual(sorted(all, 'end_at', true));
    const answer = await list({ fields: 'id', per_page: 1000 });
    expect(Object.keys(answer.body)).toEqual(['deals']);
    expect(answer.body.deals).toEqual(all.map(({ id }) => ({ id })));
    expect((await ask('/api/v3/deals.json?fields=id&per_page=1000')).text).toBe(answer.text);
  });

  it('2.3.1, 2.3, B3: fields that v1 has too are the same there', async () => {
    const v1 = (await service.look('/v1/deals?per_page=1000', acme.key)).body.deals as Json[];
    const shared = FIELDS.slice(0, 40).filter((name) => name !== 'locations');
    expect(v1).toHaveLength(all.length);
    v1.forEach((deal, n) => {
      for (const name of shared) expect([name, all[n][name]]).toEqual([name, deal[name]]);
    });
  });

  it('2.3.8, 2.4, B2: an address has a stable id of its own', async () => {
    const query = { fields: 'locations[address[address_id]]', per_page: 1000 };
    const of = (deals: Json[]): string[] =>
      deals.flatMap(({ locations }) => locations.map((location: Json) => location.address.address_id));
    const found = of((await list(query)).body.deals);
    expect(found).toEqual(of(all));
    expect(new Set(found).size).toBe(found.length);
    for (const id of found) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  it('4.2.1, 4.2: a deal has the requested fields, and of images and locations the requested parts', async () => {
    const answer = await list({
      fields: 'locations[phone,address[longitude,latitude]],images[tiny,large],id',
      per_page: 1000,
    });
    expect(answer.body.deals).toEqual(
      all.map(({ id, images, locations }) => ({
        id,
        locations: locations.map(({ phone, address }: Json) => ({
          address: { latitude: address.latitude, longitude: address.longitude },
          phone,
        })),
        images: images === null ? null : { large: images.large, tiny: images.tiny },
      })),
    );
  });

  it.each(SORTABLE.flatMap((name) => ['asc', 'desc'].map((direction) => [name, direction] as const)))(
    '4.2.2, 4.2, B4: sorts by %s(%s), ties by id',
    async (name, direction) => {
      const answer = await list({ fields: 'id', sort: `${name}(${direction})`, per_page: 1000 });
      expect(ids(answer)).toEqual(sorted(all, name, direction === 'desc'));
    },
  );

  it('4.2.2, 4.2, B4: sorts by several fields in turn', async () => {
    const answer = await list({ fields: 'id', sort: 'region_name(desc),price(asc),num_left(desc)', per_page: 1000 });
    const order = all.toSorted(
      (a, b) =>
        compare(b, a, 'region_name') || compare(a, b, 'price') || compare(b, a, 'num_left') || compare(a, b, 'id'),
    );
    expect(ids(answer)).toEqual(order.map(({ id }) => id));
  });

  const FILTERS: readonly (readonly [string, (deal: Json) => boolean])[] = [
    ['category[food & drink]', ({ category }) => category === 'Food & Drink'],
    ['category[FOOD-DRINK,spa]', ({ category }) => category === 'Food & Drink' || category === 'Spa'],
    ['subcategory[CAFÉS]', ({ subcategory }) => subcategory === 'Cafés'],
    ['subcategory[cafes]', ({ subcategory }) => subcategory === 'Cafés'],
    ['subcategory[tea-rooms , nothing]', ({ subcategory }) => subcategory === 'Tea Rooms'],
    ['category[Food]', () => false],
    ['price>=4', ({ price }) => price !== null && price >= 4],
    ['price>4', ({ price }) => price !== null && price > 4],
    ['price<6', ({ price }) => price !== null && price < 6],
    ['price<=6', ({ price }) => price !== null && price <= 6],
    ['price=5', ({ price }) => price === 5],
    ['price[1,4,9]', ({ price }) => [1, 4, 9].includes(price)],
    ['region[boston]', ({ region_id }) => region_id === 'boston'],
    ['region[boston,remote,nowhere]', ({ region_id }) => ['boston', 'remote'].includes(region_id)],
    ...Object.entries(CITIES).map(
      ([city, region]) => [`region_city[${city}]`, ({ region_id }: Json) => region_id === region] as const,
    ),
    ['region_city[[Cambridge,MA],[New York,NY]]', ({ region_id }) => ['boston', 'new-york'].includes(region_id)],
    ['lat_long[42.5,-71.2,25]', ({ locations }) => isNear(locations, 42.5, -71.2, 25)],
    ['lat_long[43,-71,60.5]', ({ locations }) => isNear(locations, 43, -71, 60.5)],
    ['sold_out[true]', ({ num_left }) => num_left === 0],
    ['sold_out[false]', ({ num_left }) => num_left !== 0],
  ];
  const PAIRS = FILTERS.flatMap((one, n) => FILTERS.slice(n + 1).map((other) => [one, other] as const));

  const LINES = ['category', 'subcategory', 'price', 'region', 'region_city', 'lat_long', 'sold_out'];
  /** The line of the rule book for a filter. */
  const lineOf = (filter: string): string => `4.2.${LINES.indexOf(/^[a-z_]+/.exec(filter)?.[0] ?? '') + 3}`;

  it.each(FILTERS.map(([filter, fits]) => [lineOf(filter), filter, fits] as const))(
    '%s, 4.2, B5, C4: %s returns the deals that match, and their count',
    async (_, filter, fits) => {
      const answer = await list({ fields: 'id', filter, per_page: 1000 });
      const expected = all.filter(fits).map(({ id }) => id);
      if (filter !== 'category[Food]') expect(expected.length).toBeGreaterThan(0);
      expect(expected.length).toBeLessThan(all.length);
      expect(ids(answer)).toEqual(expected);
      expect((await list({ fields: 'id', filter, count: 'true', page: 0 })).text).toBe(`{"count":${expected.length}}`);
    },
  );

  it('4.2.11, 4.2: any two filters together both apply', async () => {
    for (const [[one, first], [other, second]] of PAIRS) {
      const answer = await list({ fields: 'id', filter: `${one},${other}`, per_page: 1000 });
      const expected = all.filter((deal) => first(deal) && second(deal)).map(({ id }) => id);
      expect([one, other, ids(answer)]).toEqual([one, other, expected]);
    }
  });

  it.each(['end_at(desc)', 'price(asc)', 'region_name(asc)', 'region_name(desc),num_left(desc)'])(
    '2.3.9, 2.3, 4.1, A10, B4: next_page leads through the whole list, sorted by %s',
    async (sort) => {
      const whole = ids(await list({ fields: 'id', sort, filter: 'price>=1', per_page: 1000 }));
      for (const per_page of [1, 7, 13, whole.length]) {
        const found: string[] = [];
        let answer = await list({ fields: 'id', sort, filter: 'price>=1', per_page });
        for (;;) {
          found.push(...ids(answer));
          const next = answer.body.next_page as string | undefined;
          if (next === undefined) break;
          expect(ids(answer)).toHaveLength(per_page);
          answer = await ask(next.slice(service.url.length));
        }
        expect(found).toEqual(whole);
        expect(ids(await list({ fields: 'id', sort, page: 9_007_199_254_740_991, per_page }))).toEqual([]);
      }
    },
  );

  it('2.3.9, 2.3, A4, B4: next_page is absolute, percent-encoded, and has only the parameters of the list', async () => {
    const query =
      'fields=id,images[small]&filter=price%3E=1,category[Food%20%26%20Drink,spa]&sort=price(asc)&per_page=2';
    const answer = await ask(`/api/v3/deals.json?${query}&api_key=${acme.key}&colour=red`);
    expect(Object.keys(answer.body)).toEqual(['deals', 'next_page']);
    expect(answer.body.next_page).toBe(
      `${service.url}/api/v3/deals.json?fields=id%2Cimages%5Bsmall%5D&filter=price%3E%3D1%2Ccategory%5BFood%20%26%20Drink` +
        '%2Cspa%5D&sort=price(asc)&page=2&per_page=2',
    );
    expect((await list({ fields: 'id' })).body.next_page).toBe(
      `${service.url}/api/v3/deals?fields=id&page=2&per_page=100`,
    );
    expect((await list({ fields: 'id', page: 2 })).body).not.toHaveProperty('next_page');
  });

  it('A2: the keywords may come as a JSON object, and lists as arrays', async () => {
    const body = { fields: ['id', 'price'], filter: ['price=5', 'sold_out[false]'], sort: 'id(asc)', per_page: '1000' };
    const answer = await service.look('/api/v3/deals', acme.key, { basic, body });
    const text = await list({ fields: 'id,price', filter: 'price=5,sold_out[false]', sort: 'id(asc)', per_page: 1000 });
    expect(answer.text).toBe(text.text);
    expect(
      (await ask('/api/v3/deals?fields[]=id&fields[]=price&filter=price=5,sold_out[false]&sort=id(asc)')).text,
    ).toBe(text.text);
  });

  it.each<readonly [string, string]>([
    ['', 'fields= is required'],
    ['fields=', 'fields= is required'],
    ['filter=price=1&count=true', 'fields= is required'],
    ['fields=colour', 'fields= colour is not recognized as a valid field for inclusion in this JSON response'],
    [
      'fields=id,primary_image',
      'fields= primary_image is not recognized as a valid field for inclusion in this JSON response',
    ],
    ['fields=images[huge]', 'fields= huge is not recognized as a valid field for inclusion in this JSON response'],
    ['fields=images[', 'fields= expected the name of a field at character 8'],
    ['fields[a]=id', 'fields= must be text'],
    ['fields=id&sort=colour(asc)', 'sort= value is not allowed as a sorting option'],
    ['fields=id&sort=tags(asc)', 'sort= value is not allowed as a sorting option'],
    ['fields=id&sort=price', 'sort= value is not allowed as a sorting option'],
    ['fields=id&sort=price(up)', 'sort= value is not allowed as a sorting option'],
    ['fields=id&filter=colour[red]', 'filter= colour is not a filter at character 1'],
    ['fields=id&filter=price>=', 'filter= expected a number at character 8'],
    ['fields=id&filter=region[]', 'filter= expected the slug of a region at character 8'],
    ['fields=id&filter=category[a]=b', 'filter= expected "," or the end at character 12'],
    [
      'fields=id&filter=sold_out[false],region_city[Nowhere,MA]',
      'filter= region of Nowhere, MA is not known: there is no such city at character 29',
    ],
    [
      'fields=id&filter=region_city[[Boston,MA],[Seattle,WA]]',
      'filter= region of Seattle, WA is not known: no active region covers it at character 26',
    ],
    ['fields=id&page=0', 'page= must be an integer of at least 1'],
    ['fields=id&page=x', 'page= must be an integer of at least 1'],
    ['fields=id&per_page=0', 'per_page= must be an integer from 1 to 1000'],
    ['fields=id&per_page=1001', 'per_page= must be an integer from 1 to 1000'],
    ['fields=id&count=maybe', 'count= must be true or false'],
    [`fields=id&filter=category[${'a'.repeat(4_000)}]`, 'filter= must be at most 4000 characters'],
  ])('4.2, 8, A10, B5: %s is 400', async (query, query_string) => {
    const answer = await ask(`/api/v3/deals?${query}`);
    const { detail, ...body } = answer.body;
    expect([answer.status, JSON.stringify(body)]).toEqual([
      400,
      JSON.stringify({ status: 'error', message: 'Bad request syntax', errors: { query_string } }),
    ]);
    expect(['undefined', 'string']).toContain(typeof detail);
  });

  it('B5: an error for an unknown name lists the names that exist, all of them valid', async () => {
    const detailOf = async (query: string): Promise<string> => (await ask(`/api/v3/deals?${query}`)).body.detail;
    const [, fields = ''] = /^the fields are (.*)$/.exec(await detailOf('fields=colour')) ?? [];
    expect(await detailOf('')).toBe(`the fields are ${fields}`);
    expect(fields).toContain('images[large,medium,small,tiny]');
    const [whole] = (await list({ fields, per_page: 1 })).body.deals;
    let uppermost = fields;
    while (uppermost.includes('[')) uppermost = uppermost.replace(/\[[^[\]]*\]/g, '');
    expect(Object.keys(whole as object)).toEqual(uppermost.split(','));
    expect(await detailOf('fields=images[huge]')).toBe('the fields are large,medium,small,tiny');
    const [, sorts = ''] = /: (.*);/.exec(await detailOf('fields=id&sort=colour(asc)')) ?? [];
    const names = sorts.split(', ');
    expect(names).toEqual(expect.arrayContaining(['price', 'start_at', 'title', 'region_name']));
    for (const name of names) expect((await list({ fields: 'id', sort: `${name}(asc)` })).status).toBe(200);
    const filters = await detailOf('fields=id&filter=colour[red]');
    for (const name of ['category', 'subcategory', 'price', 'region', 'region_city', 'lat_long', 'sold_out'])
      expect(filters).toContain(name);
  });

  it.each(['price>1', 'lat_long[43,-71,60]', 'category[spa]', 'price[2,3]'])(
    '4.2: a hundred conditions such as %s are one valid query',
    async (condition) => {
      const hundred = Array.from({ length: 100 }, () => condition).join();
      const answer = await list({ fields: 'id', filter: hundred, per_page: 1000 });
      expect(answer.text).toBe((await list({ fields: 'id', filter: condition, per_page: 1000 })).text);
      const more = await list({ fields: 'id', filter: `${hundred},${condition}` });
      expect([more.status, more.body.errors]).toEqual([
        400,
        { query_string: 'filter= must be at most 100 conditions' },
      ]);
    },
  );

  it('5.3, 5, A4: is for partners with their user name and password', async () => {
    const answer = await service.ask('GET', '/api/v3/deals?fields=id', { key: acme.key });
    expect([answer.status, answer.body.error_type]).toEqual([401, 'auth_failed']);
    expect(answer.headers['www-authenticate']).toMatch(/^Basic /);
  });

  it('C1: follows the clock', async () => {
    const before = await list({ fields: 'id', count: 'true' });
    await service.forward((3 * DAY) / 1000);
    const later = all.filter(({ end_at }) => Date.parse(end_at) > Date.parse(all[0].end_at) - 17 * DAY);
    expect(later.length).toBeLessThan(before.body.count);
    expect(ids(await list({ fields: 'id', per_page: 1000 }))).toEqual(later.map(({ id }) => id));
  });
});

/** Null comes first, but an unlimited number of units last; texts sort by code point. */
function compare(a: Json, b: Json, name: string): number {
  const value = (deal: Json): number | string | null => {
    if (name === 'num_left') return deal.num_left ?? Infinity;
    return name.endsWith('_at') && deal[name] !== null ? Date.parse(deal[name]) : deal[name];
  };
  const [one, other] = [value(a), value(b)];
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}

function sorted(deals: readonly Json[], name: string, descending: boolean): string[] {
  const order = deals.toSorted(
    (a, b) => (descending ? compare(b, a, name) : compare(a, b, name)) || compare(a, b, 'id'),
  );
  return order.map(({ id }) => id);
}

/** By the law of cosines; no place is so close to a circle that rounding matters. */
function isNear(locations: readonly Json[], latitude: number, longitude: number, miles: number): boolean {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  return locations.some(({ address }) => {
    const [a, b] = [radians(latitude), radians(address.latitude)];
    const cosine =
      Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(radians(address.longitude - longitude));
    return Math.acos(Math.min(cosine, 1)) * 3_958.7613 <= miles;
  });
}
