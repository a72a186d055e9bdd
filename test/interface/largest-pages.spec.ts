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
  }, 240_000);
  afterAll(() => service.discard());

  const list = (path: string, perPage: number): Promise<Answer> =>
    service.look(`${path}${path.includes('?') ? '&' : '?'}per_page=${perPage}`, acme.key);

  it.each(['/deals', '/regions/testland/deals'])(
    '%s refuses a page that is too large, and says to ask for fewer rows',
    async (path) => {
      for (const perPage of [DEALS, 1_000]) {
        const { status, body } = await list(path, perPage);
        expect([status, body]).toEqual([
          422,
          {
            status: 'error',
            error_type: 'validation_failed',
            error_msg: `the page holds more than ${LARGEST_PAGE} characters: ask for fewer rows with per_page`,
          },
        ]);
      }
      const { status, body, bytes } = await list(path, 10);
      expect([status, body.deals.length]).toEqual([200, 10]);
      expect(bytes.length).toBeGreaterThan(10 * 450_000);
      expect((await list(`${path}?count=true`, 1_000)).body.count).toBe(DEALS);
    },
  );
});
