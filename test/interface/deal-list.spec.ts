import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { at, timeOf } from '../support/buying.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

const DAY = 86_400_000;
const TWICE = 'it is given more than once: give it once';

const ids = (answer: Answer): string[] => answer.body.deals.map(({ id }: Json) => id);

describe('the v1 list of deals', () => {
  let service: RunningService;
  let acme: TestPartner;
  let now: number;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    now = Math.floor((await timeOf(service)) / 1000) * 1000;
    await service.operate('PUT', '/regions/elsewhere', { name: 'Elsewhere', time_zone: 'UTC' });
    // They end in pairs: d-0 and d-1 on the first day, d-2 and d-3 on the second, and so on.
    for (let n = 0; n < 12; n += 1) {
      const end_at = at(now + (1 + Math.floor(n / 2)) * DAY);
      await service.newDeal(`d-${String(n).padStart(2, '0')}`, { end_at, stock: n === 3 ? 0 : 5 });
    }
    for (const to of ['paused', 'cancelled', 'deleted']) {
      await service.newDeal(to);
      await service.operate('POST', `/deals/${to}/transitions`, { to });
    }
    const body = {
      title: 'T',
      region_id: 'elsewhere',
      start_at: at(now + DAY),
      end_at: at(now + 2 * DAY),
      current_price: 1,
      value: 2,
    };
    for (const [slug, moves] of [
      ['submitted', []],
      ['in-review', ['in-review']],
      ['rejected', ['in-review', 'rejected']],
      ['approved', ['in-review', 'approved']],
    ] as const) {
      await service.operate('PUT', `/deals/${slug}`, body);
      for (const to of moves) await service.operate('POST', `/deals/${slug}/transitions`, { to });
    }
    await service.newDeal('landed', { start_at: at(now - 2 * DAY), end_at: at(now - DAY) });
    await service.newDeal('far', { region_id: 'elsewhere', end_at: at(now + 99 * DAY) });
  });
  afterAll(() => service.discard());

  const list = (query: string): Promise<Answer> => service.look(`/v1/deals${query}`, acme.key);
  const IN_FLIGHT = ['far', '10', '11', '08', '09', '06', '07', '04', '05', '02', '03', '00', '01'].map((id) =>
    id === 'far' ? id : `d-${id}`,
  );

  it('4.3.1, 4.3, C3: without parameters it has the in-flight deals, sold out or not, latest end first, ties by id', async () => {
    const answer = await list('');
    expect(Object.keys(answer.body)).toEqual(['status', 'deals']);
    expect(answer.body.status).toBe('success');
    expect(ids(answer)).toEqual(IN_FLIGHT);
    expect(answer.body.deals.find(({ id }: Json) => id === 'd-03').soldout).toBe(true);
    expect(answer.body.deals[0]).toEqual((await list('/far')).body.deal);
  });

  it.each(['in-flight', 'approved', 'submitted', 'landed', 'in-review', 'rejected', 'paused', 'deleted', 'cancelled'])(
    '4.3.6, 4.3, C1: state=%s returns the deals in that state now',
    async (state) => {
      const answer = await list(`?state=${state}`);
      expect(ids(answer)).toEqual(state === 'in-flight' ? IN_FLIGHT : [state]);
      expect(answer.body.deals[0].state).toBe(state);
      expect((await list(`?state=${state}&count=true`)).body).toEqual({ status: 'success', count: ids(answer).length });
    },
  );

  it('4.3.7, 4.3: show_all returns every state, and works with the other parameters', async () => {
    const all = await list('?show_all=true');
    expect(ids(all)).toHaveLength(21);
    expect(new Set(all.body.deals.map(({ state }: Json) => state)).size).toBe(9);
    expect(ids(await list('?show_all=true&region=elsewhere')).toSorted()).toEqual([
      'approved',
      'far',
      'in-review',
      'rejected',
      'submitted',
    ]);
    expect(ids(await list('?show_all=true&state=paused'))).toEqual(['paused']);
  });

  it('4.3.11, 4.3, C4: region is a slug; deals of other regions are left out, and an unknown region is 404', async () => {
    expect(ids(await list('?region=elsewhere'))).toEqual(['far']);
    expect(ids(await list('?region=testland'))).toEqual(IN_FLIGHT.slice(1));
    for (const region of ['nowhere', 'constructor', 'Boston,%20MA', '02114', '']) {
      const answer = await list(`?region=${region}`);
      expect([answer.status, answer.body.error_type]).toEqual([404, 'find_failed']);
      expect(answer.body.error_msg).toMatch(/^region /);
    }
  });

  it('4.1, A10, 8: pages have no gaps or overlaps, and end with an empty one', async () => {
    const pages: string[] = [];
    for (let page = 1; page <= 5; page += 1) {
      const found = ids(await list(`?per_page=3&page=${page}`));
      expect(found).toHaveLength(page === 5 ? 1 : 3);
      pages.push(...found);
    }
    expect(pages).toEqual(IN_FLIGHT);
    for (const page of ['6', '1000000', '9007199254740991']) {
      const answer = await list(`?per_page=3&page=${page}`);
      expect([answer.status, answer.text]).toEqual([200, '{"status":"success","deals":[]}']);
    }
    expect(ids(await list('?per_page=1000'))).toEqual(IN_FLIGHT);
  });

  it('4.1.1, 4.1, A10: count returns the count, and ignores page and per_page', async () => {
    for (const query of ['?count=true', '?count=true&page=3&per_page=2', '?count=true&page=0&per_page=9999&page=x']) {
      expect((await list(query)).text).toBe('{"status":"success","count":13}');
    }
    expect(ids(await list('?count=false&per_page=1'))).toEqual(['far']);
  });

  it.each([
    ['page=0', 'page must be an integer of at least 1'],
    ['page=-1', 'page must be an integer of at least 1'],
    ['page=1.5', 'page must be an integer of at least 1'],
    ['page=x', 'page must be an integer of at least 1'],
    ['page=', 'page is missing'],
    ['page=1&page=2', 'page must be an integer of at least 1', TWICE],
    ['per_page=0', 'per_page must be an integer from 1 to 1000'],
    ['per_page=1001', 'per_page must be an integer from 1 to 1000'],
    ['per_page=2.5', 'per_page must be an integer from 1 to 1000'],
    ['price_max=25.00', 'price_max must be an integer in cents, such as 2500'],
    ['price_min=25,00', 'price_min must be an integer in cents, such as 2500'],
    ['price_min=-1', 'price_min must be an integer of at least 0'],
    ['count=yes', 'count must be true or false'],
    ['show_all=false', 'show_all can only be true'],
    ['show_all=1', 'show_all must be true or false'],
    ['foo=1', 'foo is not a parameter of this call'],
    ['toString=1', 'toString is not a parameter of this call'],
    ['toString[]=1', 'toString is not a parameter of this call'],
    [
      'state=open',
      'state must be one of submitted, in-review, rejected, approved, in-flight, paused, cancelled, landed, deleted',
    ],
    ['region[]=testland', 'region must be text'],
    ['region=testland&region=elsewhere', 'region must be text', TWICE],
    [`region=${'x'.repeat(256)}`, 'region must have at most 255 characters'],
    ['region=nowhere', 'region nowhere is not known'],
    ['region=99999-0001', 'region of ZIP 99999 is not known: there is no such ZIP'],
    ['region=Atlantis,%20ma', 'region of Atlantis, MA is not known: there is no such city'],
    ['region=Boston/MA', 'region of Boston, MA is not known: no active region covers it'],
    ['region=192.0.2.1', 'region of 192.0.2.1 is not known: GEOIP_DB is not set'],
  ])(
    '4.3, 4.1, 8, A10, C3: %s is 404 with the name of the parameter',
    async (query, message, ...[detail]: string[]) => {
      const answer = await list(`?${query}`);
      expect([answer.status, answer.text]).toEqual([
        404,
        JSON.stringify({ status: 'error', error_type: 'find_failed', error_msg: message, detail }),
      ]);
    },
  );

  it('4.3.1, 4.3, A2: the parameters may come as a JSON object with the GET', async () => {
    const answer = await service.look('/v1/deals', acme.key, {
      body: { region: 'elsewhere', show_all: true, per_page: '2' },
    });
    expect(ids(answer)).toEqual(['far', 'approved']);
    expect((await service.look('/v1/deals', acme.key, { body: { colour: 'red' } })).body.error_msg).toBe(
      'colour is not a parameter of this call',
    );
  });
});

describe('many deals', () => {
  it('4.1.2, 4.1.3, 8.1, 8.2, 4.1, 8: a page holds 100 deals by default', async () => {
    const service = await RunningService.start();
    const acme = await service.newPartner('acme');
    const now = await timeOf(service);
    const body = {
      title: 'T',
      region_id: 'many',
      start_at: at(now),
      end_at: at(now + DAY),
      current_price: 1,
      value: 2,
    };
    await service.operate('PUT', '/regions/many', { name: 'Many', time_zone: 'UTC' });
    for (let n = 0; n < 101; n += 20) {
      await Promise.all(
        Array.from({ length: Math.min(20, 101 - n) }, (_, i) => service.operate('PUT', `/deals/many-${n + i}`, body)),
      );
    }
    expect(ids(await service.look('/v1/deals?show_all=true&region=many&per_page=101', acme.key))).toHaveLength(101);
    expect(ids(await service.look('/v1/deals?show_all=true&region=many', acme.key))).toHaveLength(100);
    expect(ids(await service.look('/v1/deals?show_all=true&region=many&page=2', acme.key))).toHaveLength(1);
    await service.discard();
  });
});
