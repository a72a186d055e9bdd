import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { timeOf } from '../../support/buying.js';
import { discardLeftovers, RunningService } from '../../support/running-service.js';
import { patience, size, tell } from '../size.js';
import { importDeals, madeUpDeals, seeded, type MadeUpDeal } from './made-up-deals.js';
import { milesBetween, naively, stateOf, type ListQuery } from './reference.js';

const DEALS = size('DEALS', 1_500);
const PER_PAGE = 40;

describe('the v1 list against a plain reference', () => {
  let service: RunningService;
  let key: string;
  let deals: MadeUpDeal[];
  let now: number;
  let values: Readonly<Record<string, readonly string[]>>;

  beforeAll(
    async () => {
      service = await RunningService.start();
      now = await timeOf(service);
      deals = madeUpDeals(DEALS, now);
      await importDeals(service, deals);
      ({ key } = await service.newPartner('acme'));
      const at = (hours: number): string => new Date(now + hours * 3_600_000).toISOString();
      values = {
        slug: ['deal-000007', 'deal-999999'],
        marketplace_slug: ['market-3'],
        title: ['two', 'EIN SSPASS'],
        category: ['food', 'STRASSE'],
        subcategory: ['Sushi'],
        merchant: ['acme', 'ångström'],
        price_min: ['3000'],
        price_max: ['2500', '0'],
        region: ['boston', 'portland-me'],
        suppliers: ['supplier-1', 'supplier-2,supplier-7'],
        vendors: ['merchant-0,merchant-3'],
        num_left: ['3'],
        exclude_soldout: ['true'],
        runs_min: [at(-50)],
        runs_max: [at(20)],
        state: ['paused', 'landed', 'approved', 'submitted', 'in-flight'],
        show_all: ['true'],
        place: ['42.4,-71.1,60', '44,-72,5'],
      };
    },
    patience(DEALS, 50),
  );
  afterAll(discardLeftovers);

  function query(asked: ListQuery, more: ListQuery = {}): string {
    const { place, ...rest } = { ...asked, ...more };
    const [latitude, longitude, radius] = place?.split(',') ?? [];
    const around = place === undefined ? {} : { latitude, longitude, radius };
    return new URLSearchParams({ ...rest, ...around } as Record<string, string>).toString();
  }
  const list = async (asked: ListQuery, more?: ListQuery): Promise<{ slugs: string[]; next: string | undefined }> => {
    const { status, body, text } = await service.look(`/v1/deals?${query(asked, more)}`, key);
    expect({ asked, status, text: status === 200 ? '' : text }).toEqual({ asked, status: 200, text: '' });
    return { slugs: body.deals.map(({ id }: { id: string }) => id), next: body.next_page };
  };

  /** Compares the count, the first page, one in the middle and the last one. */
  async function expectSame(asked: ListQuery): Promise<number> {
    const expected = naively(deals, asked, now);
    const counted = await service.look(`/v1/deals?${query(asked, { count: 'true' })}`, key);
    expect({ asked, count: counted.body.count }).toEqual({ asked, count: expected.length });
    const pages = Math.max(1, Math.ceil(expected.length / PER_PAGE));
    for (const page of new Set([1, Math.ceil(pages / 2), pages])) {
      const { slugs, next } = await list(asked, { page: String(page), per_page: String(PER_PAGE) });
      expect({ asked, page, slugs }).toEqual({
        asked,
        page,
        slugs: expected.slice((page - 1) * PER_PAGE, page * PER_PAGE),
      });
      expect({ asked, page, next: next !== undefined }).toEqual({ asked, page, next: page < pages });
    }
    return expected.length;
  }

  it(
    '4.3 C1 C3: agrees for every parameter alone and every two together, in count, order and pages',
    async () => {
      const single = Object.entries(values).flatMap(([name, given]) =>
        given.map((value): ListQuery => ({ [name]: value })),
      );
      let found = 0;
      let asked = 0;
      for (const one of [{}, ...single]) found += (await expectSame(one)) > 0 ? 1 : 0;
      for (const [index, one] of single.entries()) {
        for (const other of single.slice(index + 1)) {
          const both = { ...one, ...other };
          if (Object.keys(both).length < 2) continue;
          asked += 1;
          found += (await expectSame(both)) > 0 ? 1 : 0;
        }
      }
      // Otherwise the lists agree because they are empty.
      expect(found).toBeGreaterThan((asked + single.length) / 2);
      tell(
        'DEALS',
        `${DEALS} deals; ${single.length} parameters alone, ${asked} pairs; ${found} lists with deals in them`,
      );
    },
    patience(DEALS, 200),
  );

  it('A10 B8: next_page leads through the whole list, without the key, and ends', async () => {
    const asked = { region: 'boston', suppliers: 'supplier-1,supplier-2,supplier-3', exclude_soldout: 'true' };
    const expected = naively(deals, asked, now);
    const seen: string[] = [];
    let next: string | undefined = `/v1/deals?${query(asked, { per_page: '7' })}`;
    while (next !== undefined) {
      expect(next).not.toContain('api_key');
      const { body } = await service.look(`${next}&api_key=${key}`, key);
      seen.push(...body.deals.map(({ id }: { id: string }) => id));
      next = body.next_page as string | undefined;
    }
    expect(seen).toEqual(expected);
  });

  it('C6: near uses the great circle, has each deal once, the earliest start first', async () => {
    const random = seeded(99);
    for (let turn = 0; turn < 25; turn += 1) {
      const place = { latitude: 39 + random() * 8, longitude: -76 + random() * 8 };
      const radius = random() * 150;
      const expected = deals
        .filter((deal) => stateOf(deal, now) === 'in-flight' && deal.start <= now)
        .filter(({ spots }) => spots.some((spot) => milesBetween(spot, place) <= radius))
        .sort((a, b) => a.start - b.start || (a.slug < b.slug ? -1 : 1));
      const body = { ...place, radius, per_page: 1_000 };
      const answer = await service.ask('GET', '/deals/locate', { key, body });
      expect(answer.body.deals.map(({ id }: { id: string }) => id)).toEqual(
        expected.slice(0, 1_000).map(({ slug }) => slug),
      );
      const counted = await service.ask('GET', '/deals/locate', { key, body: { ...body, count: true } });
      expect(counted.body).toEqual({ status: 'success', count: expected.length });
    }
  });
});
