import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { at, moveTo, timeOf } from '../support/buying.js';
import { NO_REGION, NO_USER } from '../support/refusals.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SEED = 20_261_121;

const FILTERS = ['in_flight', 'offer', 'current', 'not_bg'] as const;
const CATEGORIES = ['Food & Drink', 'Spa', 'travel', null] as const;
const TYPES = ['daily-deal', 'affiliate', 'card-linked'] as const;
/** How far a deal moves through the workflow. Only an in-flight deal can become `paused`. */
const MOVES = {
  approved: ['in-review', 'approved'],
  paused: ['in-review', 'approved', 'paused'],
  submitted: [],
  cancelled: ['cancelled'],
  deleted: ['deleted'],
} as const;

interface Made {
  readonly id: string;
  readonly region: string;
  readonly type: (typeof TYPES)[number];
  readonly bg: boolean;
  readonly category: (typeof CATEGORIES)[number];
  readonly moved: keyof typeof MOVES;
  readonly start: number;
  readonly end: number;
}

/** Numbers from 0 to below 1, the same for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function made(now: number): readonly Made[] {
  const next = random(SEED);
  const one = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)] as T;
  return Array.from({ length: 60 }, (_, n) => {
    const start = now + one([-3, -2, -2, -1, -1, 1, 2]) * DAY;
    const running = start < now;
    const moved = one(['approved', 'approved', 'approved', 'paused', 'submitted', 'cancelled', 'deleted'] as const);
    return {
      id: `d-${String((n * 37) % 60).padStart(2, '0')}`,
      region: one(['boston', 'boston', 'boston', 'other']),
      type: one(TYPES),
      bg: next() < 0.3,
      category: one(CATEGORIES),
      moved: moved === 'paused' && !running ? 'approved' : moved,
      start,
      // Some have ended; a paused deal had to be in flight before.
      end: start + (moved === 'paused' ? 8 : one([12 * HOUR, 5 * DAY, 8 * DAY]) / DAY) * DAY,
    };
  });
}

/** The meaning of the filters, written a second time. */
const MEETS: Readonly<Record<(typeof FILTERS)[number], (deal: Made, now: number) => boolean>> = {
  in_flight: ({ moved, start, end }, now) => moved === 'approved' && start <= now && now < end,
  offer: ({ type }) => type === 'affiliate' || type === 'card-linked',
  current: ({ start, end }, now) => start <= now && now < end,
  not_bg: ({ bg }) => !bg,
};

const ids = (answer: Answer): string[] => answer.body.deals.map(({ id }: Json) => id);

const faulty = (message: string, field: string, detail?: string): string =>
  JSON.stringify({
    status: 'error',
    error_type: 'validation_failed',
    error_msg: 'validation failed',
    errors: [{ type: 'invalid', message, field, resource: 'deal', detail }],
  });

describe('regional deals', () => {
  let service: RunningService;
  let acme: TestPartner;
  let deals: readonly Made[];
  let now: number;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    now = Math.floor((await timeOf(service)) / HOUR) * HOUR;
    for (const slug of ['boston', 'other', 'empty']) {
      await service.operate('PUT', `/regions/${slug}`, { name: slug, time_zone: 'America/New_York' });
    }
    deals = made(now);
    for (const { id, region, type, bg, category, moved, start, end } of deals) {
      await service.operate('PUT', `/deals/${id}`, {
        title: id,
        region_id: region,
        type,
        category,
        tags: bg ? ['new', 'bg'] : ['bgx'],
        start_at: at(start),
        end_at: at(end),
        ...(type === 'daily-deal' ? { current_price: 1, value: 2 } : {}),
      });
      for (const to of MOVES[moved]) await service.operate('POST', `/deals/${id}/transitions`, { to });
    }
  });
  afterAll(() => service.discard());

  const list = (query: string, region = 'boston'): Promise<Answer> =>
    service.look(`/regions/${region}/deals${query}`, acme.key);

  function expected(
    filters: readonly (typeof FILTERS)[number][],
    wanted: (deal: Made) => boolean = () => true,
  ): string[] {
    return deals
      .filter((deal) => deal.region === 'boston' && wanted(deal) && filters.every((name) => MEETS[name](deal, now)))
      .toSorted((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id);
  }

  const USUAL = ['in_flight', 'current', 'not_bg'] as const;
  const PAIRS = FILTERS.flatMap((one, index) => FILTERS.slice(index + 1).map((other) => [one, other] as const));
  const ALL_SETS = [...FILTERS.map((one) => [one] as const), ...PAIRS, USUAL, FILTERS];

  it.each(ALL_SETS.map((filters) => [filters.join(','), filters] as const))(
    '4.4.5, 4.4, C5: filter=%s returns the deals that meet all of it, earliest start first, ties by id',
    async (text, filters) => {
      const right = expected(filters);
      // The sample tests each filter: it keeps some deals and drops others.
      expect(right.length).toBeGreaterThan(0);
      expect(right.length).toBeLessThan(expected([]).length);
      expect(ids(await list(`?filter=${text}`))).toEqual(right);
      expect(ids(await list(`?${filters.map((one) => `filter[]=${one}`).join('&')}`))).toEqual(right);
      expect(ids(await service.look('/v1/regions/boston/deals', acme.key, { body: { filter: filters } }))).toEqual(
        right,
      );
      expect((await list(`?filter=${text}&count=true`)).text).toBe(`{"status":"success","count":${right.length}}`);
    },
  );

  it('4.4.5, 4.4: no filter or an empty one means in_flight, current and not_bg', async () => {
    for (const query of ['', '?filter=', '?user_id=']) expect(ids(await list(query))).toEqual(expected(USUAL));
    const bodies = [{ filter: [] }, { filter: '' }];
    for (const body of bodies) {
      expect(ids(await service.look('/regions/boston/deals', acme.key, { body }))).toEqual(expected(USUAL));
    }
  });

  it('4.4.1, 4.4.6, 4.4, 2.1, A1: have status and deals in the v1 shape, under every v1 prefix', async () => {
    const answer = await list('');
    expect(Object.keys(answer.body)).toEqual(['status', 'deals']);
    expect(answer.body.status).toBe('success');
    const [id] = ids(answer);
    expect(answer.body.deals[0]).toEqual((await service.look(`/deals/${id}`, acme.key)).body.deal);
    for (const path of ['/v1/regions/boston/deals', '/api/v1/regions/boston/deals', '/regions/boston/deals.json']) {
      expect((await service.look(path, acme.key)).text).toBe(answer.text);
    }
    expect((await list('', 'empty')).text).toBe('{"status":"success","deals":[]}');
    expect((await list('?count=true', 'empty')).text).toBe('{"status":"success","count":0}');
  });

  it('4.4, 4.1, A10: come in pages without gaps or overlaps, even with equal starts', async () => {
    const right = expected(['not_bg']);
    const found: string[] = [];
    for (let page = 1; page <= Math.ceil(right.length / 3); page += 1) {
      found.push(...ids(await list(`?filter=not_bg&per_page=3&page=${page}`)));
    }
    expect(found).toEqual(right);
    const followed: string[] = [];
    const path = '/v1/regions/boston/deals?filter=not_bg,current&per_page=3';
    for (let next: string | undefined = `${service.url}${path}`; next !== undefined;) {
      const page = await service.look(next.slice(service.url.length), acme.key);
      followed.push(...ids(page));
      next = page.body.next_page as string | undefined;
      if (next !== undefined) expect(next).not.toContain(acme.key);
    }
    expect(followed).toEqual(expected(['not_bg', 'current']));
    expect((await list('?filter=not_bg&page=100')).text).toBe('{"status":"success","deals":[]}');
    expect((await list('?filter=not_bg&count=true&page=0&per_page=x')).body.count).toBe(right.length);
  });

  it.each([
    ['filter=open', 'must be one of in_flight, offer, current, not_bg', 'filter', 'element 1'],
    ['filter=offer,IN_FLIGHT', 'must be one of in_flight, offer, current, not_bg', 'filter', 'element 2'],
    ['filter[]=offer&filter[]=toString', 'must be one of in_flight, offer, current, not_bg', 'filter', 'element 2'],
    ['page=0', 'must be an integer of at least 1', 'page'],
    ['per_page=1001', 'must be an integer from 1 to 1000', 'per_page'],
    ['count=yes', 'must be true or false', 'count'],
    ['user_id[]=x', 'must be text', 'user_id'],
    ['user_id=x&user_id=y', 'must be text', 'user_id', 'it is given more than once: give it once'],
  ])(
    '4.4, C5, A8, A10: %s is 422 with the name of the parameter',
    async (query, message, field, ...[detail]: string[]) => {
      const answer = await list(`?${query}`);
      expect([answer.status, answer.text]).toEqual([422, faulty(message, field, detail)]);
    },
  );

  it.each(['nowhere', 'Boston', 'constructor', 'Boston,Massachusetts'])(
    '4.4, A8: are 404 for the unknown region %s',
    async (region) => {
      const answer = await list('', region);
      expect([answer.status, answer.text]).toEqual([404, NO_REGION]);
    },
  );

  it('4.4, C4: an IP address as the region is 404 with the reason when GEOIP_DB is not set', async () => {
    const answer = await list('', '192.0.2.1');
    expect([answer.status, answer.body.error_msg]).toEqual([
      404,
      'region of 192.0.2.1 is not known: GEOIP_DB is not set',
    ]);
  });

  it('4.4.6 A1 4.4 2.3: are the same under /api/v3, with Basic and in the v3 shape', async () => {
    const { username, password } = await service.operate('POST', `/partners/${acme.id}/password`);
    const twin = (query: string): Promise<Answer> =>
      service.ask('GET', `/api/v3/regions/boston/deals${query}`, { basic: `${username}:${password}` });
    for (const query of ['', '?filter=current', '?filter=in_flight&page=2&per_page=3']) {
      expect(ids(await twin(query))).toEqual(ids(await list(query)));
    }
    expect((await twin('?filter=current&per_page=2')).body.next_page).toBe(
      `${service.url}/api/v3/regions/boston/deals?filter=current&per_page=2&page=2`,
    );
    expect((await twin('?filter=current&per_page=1000')).body).not.toHaveProperty('next_page');
    const [deal] = (await twin('')).body.deals as [Json];
    expect(Object.keys(deal)).toEqual(expect.arrayContaining(['images', 'sold_out', 'merchant_id', 'cost']));
    for (const absent of ['image_url', 'image_url_abs', 'primary_image', 'slug'])
      expect(deal).not.toHaveProperty(absent);
    expect((await twin('?page=0')).text).toBe(
      '{"status":"error","message":"Bad request syntax","errors":{"query_string":"page= must be an integer of at least 1"}}',
    );
    expect((await service.ask('GET', '/api/v3/regions/boston/deals', { key: acme.key })).status).toBe(401);
  });

  describe('for a user’s preferences', () => {
    let nextUser = 0;
    const user = (partner_data?: object): Promise<string> =>
      service.newUser(acme.key, `u${(nextUser += 1)}@example.com`, partner_data === undefined ? {} : { partner_data });
    const offers = async (user_id: string): Promise<string[]> => ids(await list(`?filter=offer&user_id=${user_id}`));
    const of = (...categories: readonly Made['category'][]): string[] =>
      expected(['offer'], ({ category }) => categories.includes(category));

    it.each([
      [['Food & Drink'], ['Food & Drink']],
      [
        ['food-drink', 'TRAVEL'],
        ['Food & Drink', 'travel'],
      ],
      ['FOOD & drink, spa', ['Food & Drink', 'Spa']],
      ['Spa', ['Spa']],
      [['Nothing like it'], []],
    ])('4.4.4, 4.4, C5: %j', async (preferred_categories, categories) => {
      const right = of(...(categories as Made['category'][]));
      expect(right.length > 0).toBe(categories.length > 0);
      const id = await user({ preferred_categories, tier: 'gold' });
      expect(await offers(id)).toEqual(right);
      expect((await list(`?filter=offer&count=true&user_id=${id}`)).body.count).toBe(right.length);
    });

    it('4.4, C5: have all categories, and deals without one, when the user prefers none', async () => {
      for (const data of [undefined, {}, { preferred_categories: [] }, { preferred_categories: null }]) {
        expect(await offers(await user(data))).toEqual(expected(['offer']));
      }
    });

    it('C5, E1, A5: are 404 for an unknown user, a deleted one and another partner’s', async () => {
      const bolt = await service.newPartner('bolt');
      const foreign = await service.newUser(bolt.key, 'x@example.com');
      const hidden = await user();
      await service.ask('PUT', `/users/${hidden}`, { key: acme.key, body: { is_deleted: true } });
      for (const id of ['nobody', foreign, hidden]) {
        const answer = await list(`?user_id=${id}`);
        expect([answer.status, answer.text]).toEqual([404, NO_USER]);
      }
    });
  });

  it('C1, C5: start and end by time alone', async () => {
    const before = expected(['current']);
    for (const days of [1, 2, 5]) {
      await moveTo(service, now + days * DAY);
      now += days * DAY;
      for (const filters of [['current'], ['in_flight'], USUAL] as const) {
        expect(ids(await list(`?filter=${filters.join(',')}`))).toEqual(expected(filters));
      }
    }
    expect(expected(['current'])).not.toEqual(before);
  });
});
