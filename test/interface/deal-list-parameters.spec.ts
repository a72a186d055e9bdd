import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { at, timeOf } from '../support/buying.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

const DAY = 86_400_000;
const BOSTON = { latitude: 42.36, longitude: -71.06 };
/** About 190 miles from Boston. */
const NEW_YORK = { latitude: 40.71, longitude: -74.0 };
/** Ten miles north of Boston, on a sphere of 3958.8 miles. */
const TEN_MILES = { latitude: BOSTON.latitude + 0.14473, longitude: BOSTON.longitude };

describe('the parameters of the v1 list of deals', () => {
  let service: RunningService;
  let acme: TestPartner;
  let now: number;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    now = await timeOf(service);
    const runs = (from: number, to: number): object => ({ start_at: at(now + from * DAY), end_at: at(now + to * DAY) });
    await service.newDeal('spa', {
      ...runs(-1, 3),
      ...{ title: 'A Day at the Spa', category: 'Health', subcategory: 'Massage', merchant_name: 'Harbor Spa' },
      ...{ supplier_id: 's1', merchant_id: 'v1', marketplace_slug: 'market-spa', current_price: 1000, stock: 5 },
      locations: [{ address: BOSTON }, { address: NEW_YORK }],
    });
    await service.newDeal('lunch', {
      ...runs(-5, 20),
      ...{ title: 'Lunch for Two', category: 'Food', subcategory: 'French', merchant_name: 'Zoé’s Bistro' },
      ...{ supplier_id: 's2', merchant_id: 'v2', marketplace_slug: 'market-lunch', current_price: 2000, stock: 0 },
      locations: [{ address: TEN_MILES }],
    });
    await service.newDeal('tour', {
      ...runs(-2, 1),
      ...{ title: 'A Tour', supplier_id: 's3', merchant_id: 'v3', current_price: 3000, stock: null },
    });
    await service.newDeal('later', { ...runs(1, 2), locations: [{ address: BOSTON }] });
  });
  afterAll(() => service.discard());

  const list = (query: string, path = '/v1/deals'): Promise<Answer> => service.look(`${path}?${query}`, acme.key);
  const ids = ({ body }: Answer): readonly string[] => body.deals.map(({ id }: Json) => id);

  const NEAR = `latitude=${BOSTON.latitude}&longitude=${BOSTON.longitude}`;
  const day = (days: number): string => at(now + days * DAY);

  it.each<readonly [rule: string, query: string | (() => string), deals: readonly string[]]>([
    ['4.3.4', 'slug=spa', ['spa']],
    ['4.3.4', 'slug=sp', []],
    ['4.3.4', 'marketplace_slug=market-lunch', ['lunch']],
    ['4.3.5', 'title=the%20SPA', ['spa']],
    ['4.3.5', 'title=a%20', ['spa', 'tour']],
    ['4.3.8', 'category=EAL', ['spa']],
    ['4.3.8', 'subcategory=fren', ['lunch']],
    ['4.3.9', 'merchant=harbor', ['spa']],
    ['4.3.9', "merchant=zoe's", ['lunch']],
    ['4.3.9', 'merchant=%25', []],
    ['4.3.10', 'price_min=2000', ['lunch', 'tour']],
    ['4.3.10', 'price_max=2000', ['lunch', 'spa']],
    ['4.3.10', 'price_min=1001&price_max=2999', ['lunch']],
    ['4.3.12', `${NEAR}&radius=9.9`, ['spa']],
    ['4.3.12', `${NEAR}&radius=10.1`, ['lunch', 'spa']],
    ['4.3.14', 'suppliers=s1,s3', ['spa', 'tour']],
    ['4.3.14', 'suppliers[]=s2', ['lunch']],
    ['4.3.14', 'vendors=v2,v1', ['lunch', 'spa']],
    ['4.3.15', 'num_left=5', ['spa', 'tour']],
    ['4.3.15', 'num_left=6', ['tour']],
    ['4.3.16', 'exclude_soldout=true', ['spa', 'tour']],
    ['4.3.17', () => `runs_min=${day(4)}`, ['lunch']],
    ['4.3.17', () => `runs_max=${day(-3)}`, ['lunch']],
    ['4.3.17', () => `runs_min=${day(2)}&runs_max=${day(10)}`, ['lunch', 'spa']],
    ['4.3.1', 'category=food&price_min=2001', []],
  ])('%s: %s selects the deals that match', async (_, query, deals) => {
    const text = typeof query === 'string' ? query : query();
    expect(ids(await list(text))).toEqual(deals);
    expect((await list(`${text}&count=true`)).body.count).toBe(deals.length);
  });

  it.each([
    ['4.3.12', `latitude=${BOSTON.latitude}`],
    ['4.3.12', `longitude=${BOSTON.longitude}`],
    ['4.3.12', 'radius=3'],
    ['4.3.16', 'exclude_soldout=false'],
    ['4.3.17', 'runs_min=2026-01-02&runs_max=2026-01-01'],
    ['4.3.7', 'show_all=false'],
    ['4.3.18', 'card_links_redeemed=true'],
  ])('%s: %s is refused with 404', async (_, query) => {
    const { status, body } = await list(query);
    expect([status, body.error_type]).toEqual([404, 'find_failed']);
  });

  it('4.3.3, C6, 8.9: locate has the active deals within a radius in miles, each once, the earliest start first', async () => {
    const located = async (radius: number): Promise<readonly string[]> => {
      const answer = await list(`${NEAR}&radius=${radius}`, '/deals/locate');
      expect(Object.keys(answer.body as object)).toEqual(['status', 'deals']);
      return ids(answer);
    };
    expect(await located(9.9)).toEqual(['spa']);
    expect(await located(10.1)).toEqual(['lunch', 'spa']);
    expect(await located(500)).toEqual(['lunch', 'spa']);
    const body = { ...BOSTON, radius: 10.1 };
    expect(ids(await service.look('/v1/deals/locate', acme.key, { body }))).toEqual(['lunch', 'spa']);
  });

  it.each(['latitude', 'longitude', 'radius'])(
    '4.3.3, C6: locate without %s, or with an impossible one, is 404',
    async (name) => {
      for (const value of [undefined, 'x', '1000']) {
        const parameters: Json = {
          ...BOSTON,
          radius: 10,
          [name]: name === 'radius' && value === '1000' ? '-1' : value,
        };
        const { status, body } = await service.ask('GET', '/deals/locate', { key: acme.key, body: parameters });
        expect([status, body.error_type, String(body.error_msg).split(' ')[0]]).toEqual([404, 'find_failed', name]);
      }
    },
  );
});
