import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { timeOf } from '../../../test/support/buying.js';
import { discardLeftovers, RunningService, type Answer } from '../../../test/support/running-service.js';
import { importDeals, madeUpDeals, seeded } from '../../../test/campaigns/catalogue/made-up-deals.js';

const DEALS = 60;
/** As many as a deal can have: so few deals have as many places as a large catalogue. */
const PLACES = 1_000;
const MOST_TRIES = 20;

describe('I17: costly lists', () => {
  let service: RunningService;
  const basics: string[] = [];

  beforeAll(async () => {
    service = await RunningService.start();
    const random = seeded(3);
    const spots = Array.from({ length: PLACES }, () => ({ latitude: 40 + random(), longitude: -75 + random() }));
    const now = await timeOf(service);
    const onSale = { state: 'in-flight', start: now - 3_600_000, end: now + 360_000_000, spots };
    const deals = madeUpDeals(DEALS, now).map((deal) => ({ ...deal, ...onSale }));
    await importDeals(service, deals);
    for (const name of ['acme', 'other']) {
      const { id } = await service.newPartner(name);
      const { username, password } = await service.operate('POST', `/partners/${id}/password`);
      basics.push(`${username}:${password}`);
    }
  });
  afterAll(discardLeftovers);

  const list = (query: Readonly<Record<string, string>>, basic = basics[0]): Promise<Answer> => {
    const path = `/api/v3/deals?${new URLSearchParams({ fields: 'id', per_page: '100', ...query }).toString()}`;
    return service.look(path, '', { basic: basic ?? '' });
  };
  /** The same again while a busy machine answers that the list has waited too long. */
  const answered = async (query: Readonly<Record<string, string>>, basic = basics[0]): Promise<Answer> => {
    for (let tries = 1; ; tries += 1) {
      const answer = await list(query, basic);
      const isBusy = answer.status === 503 && answer.body.error_msg === 'the list has waited too long for others';
      if (!isBusy || tries === MOST_TRIES) return answer;
    }
  };
  const circles = (count: number, miles = 900): string =>
    Array.from({ length: count }, (_, nth) => `lat_long[${40 + nth / 100},-74,${miles}]`).join(',');

  it('are refused with the name and the number of what to leave out, and answered without that', async () => {
    const { status, body } = await list({ filter: circles(100), sort: 'title(asc)' });
    expect([status, body.error_type]).toEqual([422, 'validation_failed']);
    const [, most = '', leave] =
      /^the list costs too much: it has 100 conditions lat_long, and at most (\d+) are possible among 60 deals: leave out (\d+) of them$/.exec(
        body.error_msg,
      ) ?? [];
    expect(Number(most)).toBeGreaterThan(1);
    expect(Number(leave)).toBe(100 - Number(most));
    const allowed = await answered({ filter: circles(Number(most)), sort: 'title(asc)' });
    expect([allowed.status, allowed.body.deals?.length]).toEqual([200, DEALS]);
    const count = await list({ filter: circles(100), count: 'true' });
    expect([count.status, count.body.error_msg]).toEqual([422, expect.stringContaining('lat_long')]);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['every single filter with an order', { filter: circles(1), sort: 'title(asc)' }],
    ['a condition that is said a hundred times', { filter: Array.from({ length: 100 }, () => circles(1)).join(',') }],
    ['an order by many fields', { sort: 'title(asc),category(asc),merchant_name(desc),num_left(asc),start_at(asc)' }],
  ])('answer %s', async (_, query) => {
    const { status, body } = await answered(query);
    expect([status, body.deals?.length]).toEqual([200, DEALS]);
  });

  it('get a 503 with Retry-After if one partner asks for too many at once, while others go on', async () => {
    const many = Array.from({ length: 30 }, (_, nth) => list({ filter: circles(3, 901 + nth), sort: 'title(asc)' }));
    const [other, inOrder] = await Promise.all([
      answered({ filter: circles(1, 899), sort: 'title(asc)' }, basics[1]),
      answered({}, basics[1]),
    ]);
    expect([other.status, inOrder.status]).toEqual([200, 200]);
    const answers = await Promise.all(many);
    const refused = answers.filter(({ status }) => status === 503);
    expect(answers.filter(({ status }) => status === 200).length).toBe(answers.length - refused.length);
    expect(refused.length).toBeGreaterThan(10);
    expect(refused.length).toBeLessThan(answers.length);
    for (const { headers, body } of refused) {
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(body.error_msg).toMatch(/^(too many lists wait|the list has waited too long for others)$/);
    }
  });
});
