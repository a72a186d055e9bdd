import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LARGEST_PAGE } from '#kernel/bounds';
import { RunningService, type Answer, type TestPartner } from '../support/running-service.js';

/** So many of the largest deals that one page cannot hold them. */
const DEALS = 40;
const LINE = 'x'.repeat(255);
const PLACE = {
  address: { street: LINE, locality: LINE, region: LINE, country: LINE, postal_code: '0', latitude: 1, longitude: 2 },
  hours: 'x'.repeat(1_000),
  phone: LINE,
};
/** As many places as one decision may store. */
const PLACES = 200;

const TOO_LARGE = {
  status: 'error',
  error_type: 'validation_failed',
  error_msg: `the page holds more than ${LARGEST_PAGE} characters: ask for fewer rows with per_page`,
};

// A page of 1000 deals of half a megabyte once took the service's memory, and was too long for one string: 500.
describe('A10: a page of the largest rows', () => {
  let service: RunningService;
  let acme: TestPartner;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    for (let n = 0; n < DEALS; n += 1) {
      await service.newDeal(`large-${n}`, { locations: Array(PLACES).fill(PLACE) });
    }
    await service.look('/deals/large-0', acme.key);
  });
  afterAll(() => service.discard());

  const list = (path: string, perPage: number): Promise<Answer> =>
    service.look(`${path}${path.includes('?') ? '&' : '?'}per_page=${perPage}`, acme.key);

  it.each(['/deals', '/regions/testland/deals'])(
    '%s refuses a page that is too large, and says to ask for fewer rows',
    async (path) => {
      for (const perPage of [DEALS, 1_000]) {
        const { status, body } = await list(path, perPage);
        expect([status, body]).toEqual([422, TOO_LARGE]);
      }
      const { status, body, bytes } = await list(path, 10);
      expect([status, body.deals.length]).toEqual([200, 10]);
      expect(bytes.length).toBeGreaterThan(10 * 450_000);
      expect((await list(`${path}?count=true`, 1_000)).body.count).toBe(DEALS);
    },
  );

  // Each region's part had the limit, and the page had as many parts as regions.
  it('is refused as a whole if a v3 list is sorted by the names of regions', async () => {
    await service.operate('PUT', '/regions/otherland', { name: 'Otherland', time_zone: 'America/New_York' });
    for (let n = 0; n < DEALS / 2; n += 1) {
      await service.newDeal(`other-${n}`, { region_id: 'otherland', locations: Array(PLACES).fill(PLACE) });
    }
    const { username, password } = await service.operate('POST', '/partners', { name: 'Bolt', slug: 'bolt' });
    const sorted = (perPage: number): Promise<Answer> =>
      service.look(`/api/v3/deals?fields=id,region_name&sort=region_name(asc)&per_page=${perPage}`, '', {
        basic: `${username}:${password}`,
      });
    const { status, body } = await sorted(DEALS / 2 + 1);
    expect([status, body.deals[0]?.region_name, body.deals.at(-1)?.region_name]).toEqual([
      200,
      'Otherland',
      'Testland',
    ]);
    const refused = await sorted(DEALS);
    expect([refused.status, refused.body]).toEqual([422, TOO_LARGE]);
  });

  // An answer shows a picture's address in 20 sizes, with six characters for an é: 240 times as long as it is stored.
  it('counts the addresses of pictures as often as it shows them', async () => {
    const many = 100;
    await service.operate('PUT', '/regions/pictured', { name: 'Pictured', time_zone: 'America/New_York' });
    for (let n = 0; n < many; n += 1) {
      await service.newDeal(`pictured-${n}`, { region_id: 'pictured', image: `/${'é'.repeat(1_999)}` });
    }
    const refused = await list('/regions/pictured/deals', many);
    expect([refused.status, refused.body]).toEqual([422, TOO_LARGE]);
    const { status, body } = await list('/regions/pictured/deals', many / 2);
    expect([status, body.deals.length]).toEqual([200, many / 2]);
  });
});
