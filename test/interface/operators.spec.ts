import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { at, timeOf } from '../support/buying.js';
import { BUILD } from '../support/build.js';
import { unableToFind } from '../support/refusals.js';
import { routesOfTheService } from '../support/routes.js';
import { RunningService, type Answer, type AskOptions, type Json } from '../support/running-service.js';

const unauthorised = (whose: string): string =>
  JSON.stringify({
    status: 'error',
    error_type: 'auth_failed',
    error_msg: 'send a valid token as Authorization: Bearer <token>',
    detail: `this call is for ${whose}: a partner’s credential does not count here`,
  });
const FORBIDDEN =
  '{"status":"error","error_type":"auth_failed","error_msg":"this call is for operators; your token is an auditor’s"}';
const NO_TOKEN = unableToFind('no token has this id: GET /operators/tokens lists them');
const NO_PARTNER = unableToFind('no partner has this id: GET /operators/partners lists them');

/** Every call below /operators, as the service lists them; their ids exist nowhere. */
const CALLS = (await routesOfTheService())
  .filter((route) => / \/operators\//.test(route))
  .map((route) => route.replace(/:\w+/g, 'x').split(' ') as [method: string, path: string]);

describe('operators', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await RunningService.start();
  });
  afterAll(() => service.discard());

  const ask = (method: string, path: string, body?: unknown, options: AskOptions = {}): Promise<Answer> =>
    service.ask(method, `/operators${path}`, { token: service.operatorToken, body, ...options });
  const entries = (...faults: readonly (readonly [string, string, string, detail?: string])[]): Json[] =>
    faults.map(([type, message, field, detail]) => ({
      ...{ type, message, field, resource: expect.any(String) },
      ...(detail !== undefined && { detail }),
    }));

  it.each(CALLS)('G1, A8: %s %s is for operators, and for auditors if it only reads', async (method, path) => {
    const acme = await service.newPartner(`acme-${CALLS.findIndex((call) => call[0] === method && call[1] === path)}`);
    // What the search looks for is in its body, so that it stands in no log.
    const isSearch = path === '/operators/find';
    const reads = method === 'GET' || isSearch;
    const refusal = unauthorised(reads ? 'auditors and operators' : 'operators');
    for (const options of [
      {},
      { token: 'wrong' },
      { key: acme.key },
      { token: acme.key },
      { headers: { authorization: service.operatorToken } },
    ]) {
      const answer = await service.ask(method, path, options);
      expect([answer.status, answer.text, answer.headers['www-authenticate']]).toEqual([401, refusal, 'Bearer']);
    }
    const auditor = await service.ask(method, path, { token: service.auditorToken });
    // Keys as they are stored are of use only to whoever makes backups.
    if (reads && path !== '/operators/backup/state') {
      const operator = await service.ask(method, path, { token: service.operatorToken });
      expect([auditor.status, (isSearch ? [422] : [200, 404]).includes(auditor.status)]).toEqual([
        operator.status,
        true,
      ]);
    } else {
      expect([auditor.status, auditor.text]).toEqual([403, FORBIDDEN]);
    }
  });

  it('G1: some calls read and others write', () => {
    expect(CALLS.filter(([method]) => method === 'GET').length).toBeGreaterThan(3);
    expect(CALLS.filter(([method]) => method !== 'GET').length).toBeGreaterThan(15);
  });

  it('G1: only one living token has a name: one of several issued at once gets it', async () => {
    const issue = (name: string): Promise<Answer> => ask('POST', '/tokens', { name, role: 'auditor' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => issue('gil')));
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    for (const { status, body } of answers.filter((each) => !made.includes(each))) {
      expect([status, body.errors]).toEqual([422, entries(['invalid', 'has already been taken', 'name'])]);
    }
    for (const name of ['gil', ' Gil ', 'operator']) expect([name, (await issue(name)).status]).toEqual([name, 422]);
    await ask('DELETE', `/tokens/${made[0]?.body.id as string}`);
    expect((await issue('gil')).status).toBe(200);
    const { tokens } = (await ask('GET', '/tokens?per_page=1000')).body;
    const living = (tokens as Json[]).filter(({ name, revoked }) => name === 'gil' && revoked === false);
    expect(living).toHaveLength(1);
  });

  it('G1: a token has a name and a role, lists do not show its secret, and it stops when revoked', async () => {
    const made = await ask('POST', '/tokens', { name: 'ann', role: 'operator' });
    expect(Object.keys(made.body)).toEqual(['status', 'token', 'id']);
    const { token, id } = made.body;
    const works = async (): Promise<number> => (await service.ask('GET', '/operators/tokens', { token })).status;
    expect(await works()).toBe(200);
    const listed = await ask('GET', '/tokens');
    expect(listed.text).not.toContain(token);
    expect(listed.body.tokens.find((each: Json) => each.id === id)).toEqual({
      id,
      name: 'ann',
      role: 'operator',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/),
      last_used_on: expect.any(String),
      state: 'valid',
      revoked: false,
    });
    expect((await ask('GET', '/tokens?count=true')).body).toEqual({
      status: 'success',
      count: listed.body.tokens.length,
    });
    expect((await ask('DELETE', `/tokens/${id}`)).text).toBe('{"status":"success"}');
    expect(await works()).toBe(401);
    expect((await ask('GET', '/tokens')).body.tokens.find((each: Json) => each.id === id)).toMatchObject({
      state: 'revoked',
      revoked: true,
    });
    expect((await ask('DELETE', `/tokens/${id}`)).status).toBe(200);
    expect((await ask('DELETE', '/tokens/nothing')).text).toBe(NO_TOKEN);
    const wrong = await ask('POST', '/tokens', { role: 'king' });
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      entries(['missing_field', 'is missing', 'name'], ['invalid', 'must be one of operator, auditor', 'role']),
    ]);
  });

  it('G14.1: a token ends after 90 days or when its issuer says, then it is 401, and its name is free', async () => {
    const listed = async (id: string): Promise<Json> =>
      (await ask('GET', '/tokens')).body.tokens.find((each: Json) => each.id === id);
    const lasts = async (id: string): Promise<number> => {
      const { created_at, expires_at } = await listed(id);
      return Date.parse(expires_at) - Date.parse(created_at);
    };
    const { id: usual } = (await ask('POST', '/tokens', { name: 'usual', role: 'auditor' })).body;
    expect([await lasts(usual), (await listed(usual)).last_used_on]).toEqual([90 * 86_400_000, null]);
    const short = { name: 'short', role: 'auditor', expires_in: 60 };
    const { token, id } = (await ask('POST', '/tokens', short)).body;
    const works = (): Promise<Answer> => service.ask('GET', '/operators/tokens', { token });
    expect([(await works()).status, await lasts(id)]).toEqual([200, 60_000]);
    const { expires_at, last_used_on } = await listed(id);
    expect(last_used_on).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect((await ask('POST', '/tokens', short)).status).toBe(422);
    await service.forward(61);
    const ended = await works();
    expect([ended.status, ended.body.error_msg]).toEqual([
      401,
      `this token has ended at ${expires_at}: an operator can issue another one`,
    ]);
    expect((await listed(id)).state).toBe('ended');
    expect((await ask('POST', '/tokens', short)).status).toBe(200);
    for (const expires_in of [0, 31_622_401, 'never'])
      expect([expires_in, (await ask('POST', '/tokens', { name: 'x', role: 'auditor', expires_in })).status]).toEqual([
        expires_in,
        422,
      ]);
    const { tokens } = (await ask('GET', '/tokens')).body;
    expect(tokens.find((each: Json) => each.name === 'operator').expires_at).toBeNull();
  });

  it('G1, G7: an auditor’s or operator’s token reads histories; a partner’s key does not', async () => {
    const { token } = (await ask('POST', '/tokens', { name: 'aud', role: 'auditor' })).body;
    const acme = await service.newPartner('histories');
    const path = '/auditors/purchases/nothing/history';
    for (const each of [token, service.auditorToken, service.operatorToken]) {
      expect((await service.ask('GET', path, { token: each })).text).toBe(unableToFind('no purchase has this id'));
    }
    expect((await service.ask('GET', path, { key: acme.key })).text).toBe(unauthorised('auditors and operators'));
    expect((await service.ask('GET', path)).status).toBe(401);
  });

  it("G2, A9: a new partner's secrets show once, and its slug is then taken", async () => {
    const made = await ask('POST', '/partners', { name: 'Blue & Co', slug: 'blue-co' });
    expect(Object.keys(made.body)).toEqual(['status', 'partner', 'api_key', 'key_id', 'username', 'password']);
    expect(Object.keys(made.body.partner)).toEqual(['id', 'name', 'slug']);
    expect(made.body).toEqual({
      status: 'success',
      partner: { id: expect.stringMatching(/^[0-9a-f]{32}$/), name: 'Blue & Co', slug: 'blue-co' },
      api_key: expect.stringMatching(/^[\w-]{43}$/),
      key_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      username: 'blue-co',
      password: expect.stringMatching(/^[\w-]{43}$/),
    });
    const again = await ask('POST', '/partners', { name: 'Other', slug: 'blue-co' });
    expect([again.status, again.body.errors]).toEqual([
      422,
      [{ type: 'invalid', message: 'has already been taken', field: 'slug', resource: 'partner' }],
    ]);
    const renewed = await ask('POST', `/partners/${made.body.partner.id}/password`);
    expect(renewed.body).toEqual({
      status: 'success',
      username: 'blue-co',
      password: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(renewed.body.password).not.toBe(made.body.password);
    const listed = await ask('GET', '/partners?per_page=1');
    expect(listed.body.partners).toEqual([
      {
        ...made.body.partner,
        storefront_url: null,
        suspended: false,
        keys: [
          {
            key_id: made.body.key_id,
            name: null,
            created_at: expect.stringMatching(/Z$/),
            scope: null,
            access: null,
            last_used_on: null,
            revoked: false,
          },
        ],
      },
    ]);
    for (const secret of [made.body.api_key, made.body.password, renewed.body.password]) {
      expect(listed.text).not.toContain(secret);
    }
    for (const path of ['/partners/nothing/keys', '/partners/nothing/password', '/partners/constructor/keys']) {
      expect((await ask('POST', path)).text).toBe(NO_PARTNER);
    }
    expect((await ask('POST', '/partners', { slug: 'Blue Co' })).body.errors).toEqual(
      entries(
        ['missing_field', 'is missing', 'name'],
        ['invalid', 'must be a slug: a-z, 0-9 and - inside, at most 200 characters', 'slug'],
      ),
    );
  });

  it('H4, G2: a partner’s storefront is set, shown, changed and removed; only https with {deal_id} in it is one', async () => {
    const shop = 'https://shop.example/offers/{deal_id}';
    const made = await ask('POST', '/partners', { name: 'Shop', slug: 'shop', storefront_url: shop });
    const { id } = made.body.partner;
    expect(made.body.partner).toEqual({ id, name: 'Shop', slug: 'shop' });
    const shown = async (): Promise<Json> => {
      const { partners } = (await ask('GET', '/partners?per_page=1000', undefined)).body;
      return (partners as Json[]).find((each) => each.id === id)?.storefront_url;
    };
    expect(await shown()).toBe(shop);
    for (const storefront_url of ['https://shop.example/?deal={deal_id}', null]) {
      const changed = await ask('PUT', `/partners/${id}`, { storefront_url });
      expect([changed.status, changed.body]).toEqual([
        200,
        { status: 'success', partner: { id, storefront_url, suspended: false } },
      ]);
      expect(await shown()).toBe(storefront_url);
    }
    const wrong = 'must be an https address with {deal_id} in its path or query';
    for (const [storefront_url, type, message] of [
      ['http://shop.example/{deal_id}', 'invalid', wrong],
      ['https://shop.example/', 'invalid', wrong],
      [`${shop}${'x'.repeat(2000)}`, 'invalid', 'must have at most 2000 characters'],
      [7, 'invalid', wrong],
    ] as const) {
      const refused = await ask('PUT', `/partners/${id}`, { storefront_url });
      expect([refused.status, refused.body.errors]).toEqual([422, entries([type, message, 'storefront_url'])]);
    }
    expect((await ask('POST', '/partners', { name: 'S', slug: 'shop-2', storefront_url: 'http://x' })).status).toBe(
      422,
    );
    expect((await ask('PUT', '/partners/nobody', { storefront_url: shop })).text).toBe(NO_PARTNER);
    expect(await shown()).toBeNull();
  });

  it('G3: operators create and change regions; a new region needs a name and a time zone', async () => {
    const put = (slug: string, body: object): Promise<Answer> => ask('PUT', `/regions/${slug}`, body);
    const made = await put('north', { name: 'North', time_zone: 'Europe/Oslo' });
    const north = {
      id: 'north',
      name: 'North',
      time_zone: 'Europe/Oslo',
      active: true,
      latitude: null,
      longitude: null,
      radius: null,
    };
    expect(made.text).toBe(JSON.stringify({ status: 'success', region: north }));
    const changed = await put('north', { active: 'false', latitude: 60, longitude: '10.5', radius: 12.5 });
    expect(changed.body.region).toEqual({ ...north, active: false, latitude: 60, longitude: 10.5, radius: 12.5 });
    const same = await put('north', { name: 'North' });
    expect([same.status, same.headers['holdfast-position']]).toEqual([200, undefined]);
    expect((await put('south', { time_zone: 'UTC' })).body.errors).toEqual(
      entries(['missing_field', 'is missing', 'name']),
    );
    expect((await put('south', { name: 'S' })).body.errors).toEqual(
      entries(['missing_field', 'is missing', 'time_zone']),
    );
    expect(
      (await put('South', { name: 'S', time_zone: 'Mars/Base', latitude: 91, longitude: 'x', radius: -1 })).body.errors,
    ).toEqual(
      entries(
        ['invalid', 'must be a slug: a-z, 0-9 and - inside, at most 200 characters', 'slug'],
        ['invalid', 'must be an IANA time zone such as America/New_York, or UTC', 'time_zone'],
        ['invalid', 'must be a number from -90 to 90', 'latitude'],
        ['invalid', 'must be a number from -180 to 180', 'longitude'],
        ['invalid', 'must be a number from 0 to 12500', 'radius'],
      ),
    );
  });

  it.each(['02114', '02114-1234'])(
    'I7: a region has no ZIP as its slug: %s is refused, in an import too',
    async (slug) => {
      const body = { name: 'Here', time_zone: 'UTC' };
      const message = 'must not be a ZIP: a ZIP names the nearest region that covers it';
      const answer = await ask('PUT', `/regions/${slug}`, body);
      expect([answer.status, answer.body.errors]).toEqual([422, entries(['invalid', message, 'slug'])]);
      const options = {
        token: service.operatorToken,
        headers: { 'content-type': 'application/x-ndjson' },
        body: JSON.stringify({ kind: 'region', slug, ...body }),
      };
      expect((await service.ask('POST', '/operators/import', options)).body.refused).toEqual([
        { line: 1, kind: 'region', slug, reason: `slug ${message}` },
      ]);
      expect((await ask('PUT', '/regions/2114', body)).status).toBe(200);
    },
  );

  it.each([
    ['America/New_York', 200],
    ['Etc/GMT+5', 200],
    ['UTC', 200],
    ['+05:30', 422],
    ['CST', 422],
    ['EST5EDT', 422],
    ['GMT', 422],
    ['utc', 422],
    ['America/Nowhere', 422],
  ])('I7: a time zone of %s is answered with %i', async (time_zone, status) => {
    const answer = await ask('PUT', '/regions/zones', { name: 'Zones', time_zone });
    expect([answer.status, answer.body.errors?.[0].field]).toEqual([status, status === 200 ? undefined : 'time_zone']);
  });

  it('G3: a region has a latitude and a longitude, or neither', async () => {
    const answer = await ask('PUT', '/regions/zones', { name: 'Zones', time_zone: 'UTC', latitude: 1 });
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      entries(['invalid', 'must be set too: latitude and longitude go together', 'longitude']),
    ]);
  });

  describe('deals', () => {
    const put = (slug: string, body: object): Promise<Answer> => ask('PUT', `/deals/${slug}`, body);
    const BASE = {
      title: 'T',
      region_id: 'here',
      start_at: '2026-01-01T00:00:00Z',
      end_at: '2026-01-05T00:00:00Z',
      current_price: 1,
      value: 2,
    };
    beforeAll(async () => {
      await service.operate('PUT', '/regions/here', { name: 'Here', time_zone: 'UTC' });
    });

    it.each(Object.keys(BASE))('G4: a new deal needs %s', async (field) => {
      const { [field as keyof typeof BASE]: _, ...rest } = BASE;
      const answer = await put(`needs-${field.replaceAll('_', '-')}`, rest);
      expect([answer.status, answer.body.errors]).toEqual([
        422,
        [{ type: 'missing_field', message: 'is missing', field, resource: 'deal' }],
      ]);
    });

    it('G4: one answer names all faults: what is missing, what is wrong, and what contradicts', async () => {
      const told = async (slug: string, body: object): Promise<unknown> =>
        (await put(slug, body)).body.errors.map(({ field, message }: Json) => `${field} ${message}`);
      const missing = (...fields: string[]): string[] => fields.map((field) => `${field} is missing`);
      expect(await told('bare', {})).toEqual(missing(...Object.keys(BASE)));
      expect(await told('Bad Slug', { title: 'T', tags: 5, value: 'x' })).toEqual([
        'slug must be a slug: a-z, 0-9 and - inside, at most 200 characters',
        ...missing('region_id', 'start_at', 'end_at', 'current_price'),
        'value must be an integer in cents, such as 2500',
        'tags must be a list, or values with commas between them',
      ]);
      const wrong = {
        ...BASE,
        region_id: 'nowhere',
        end_at: '2025-12-31T00:00:00Z',
        incentive_amount: 1,
        incentive_percentage: 1,
      };
      expect(await told('contradicting', wrong)).toEqual([
        'end_at must be after start_at',
        'incentive_percentage must be null in a deal with an incentive_amount',
        'region_id not found',
      ]);
      expect(await told('typed', { type: 'affiliate', stock: -1 })).toEqual([
        ...missing('title', 'region_id', 'start_at', 'end_at'),
        expect.stringContaining('stock must be'),
      ]);
    });

    it('B1: what an answer shows as a time, the call takes again, and nothing changes', async () => {
      const times = {
        start_at: '2026-11-26T20:15:00Z',
        end_at: '2026-11-30T20:15:00.250Z',
        expires_at: '2027-01-31T00:00:00Z',
      };
      const { body } = await put('timed', { ...BASE, ...times });
      expect(body.deal).toMatchObject(times);
      const { start_at, end_at, expires_at } = body.deal;
      const again = await put('timed', { start_at, end_at, expires_at });
      expect([again.status, again.headers['holdfast-position'], again.text]).toEqual([
        200,
        undefined,
        JSON.stringify(body),
      ]);
      // Another offset is the same moment.
      expect((await put('timed', { end_at: '2026-11-30T15:15:00.250-05:00' })).body.deal.end_at).toBe(end_at);
    });

    it('G4: a deal begins as submitted; later puts change only the given attributes', async () => {
      const made = await put('changing', { ...BASE, tags: 'a,b', cost: 5 });
      expect(made.body.deal).toMatchObject({
        id: 'changing',
        state: 'submitted',
        title: 'T',
        tags: ['a', 'b'],
        cost: 5,
      });
      const changed = await put('changing', { title: 'New', cost: null });
      expect(changed.body.deal).toEqual({ ...made.body.deal, title: 'New', cost: null });
      const same = await put('changing', { title: 'New' });
      expect([same.status, same.headers['holdfast-position']]).toEqual([200, undefined]);
    });

    it.each([
      ['start_at', '2026-01-01', 'is a whole day: send a moment of it, such as 2026-01-01T00:00:00Z'],
      ['end_at', '2026-01-05', 'is a whole day: send a moment of it, such as 2026-01-05T23:59:59Z'],
      ['expires_at', '2028-06-30', 'is a whole day: send a moment of it, such as 2028-06-30T23:59:59'],
      ['expires_at', '2028-03-12T02:30:00', 'is no time in America/New_York: clocks go forward over it'],
      [
        'expires_at',
        '2028-11-05T01:30:00',
        'is twice in America/New_York, when clocks go back: send 2028-11-05T01:30:00-04:00 or 2028-11-05T01:30:00-05:00',
      ],
    ])('I7: %s=%s is refused, in an import too', async (field, value, message) => {
      await service.operate('PUT', '/regions/new-york', { name: 'New York', time_zone: 'America/New_York' });
      const body = { ...BASE, region_id: 'new-york', [field]: value };
      const answer = await put('days', body);
      expect([answer.status, answer.body.errors]).toEqual([422, entries(['invalid', message, field])]);
      const line = JSON.stringify({ kind: 'deal', slug: 'days', ...body });
      const options = { token: service.operatorToken, headers: { 'content-type': 'application/x-ndjson' }, body: line };
      expect((await service.ask('POST', '/operators/import', options)).body.refused).toEqual([
        { line: 1, kind: 'deal', slug: 'days', reason: `${field} ${message}` },
      ]);
    });

    it('I7: expires_at without an offset is the time of the region that the deal then has, all other times are UTC', async () => {
      await service.operate('PUT', '/regions/new-york', { name: 'New York', time_zone: 'America/New_York' });
      const times = async (body: object): Promise<readonly string[]> => {
        const { start_at, expires_at } = (await put('zoned', body)).body.deal;
        return [start_at, expires_at];
      };
      const start_at = '2026-01-01T00:00:00';
      expect(await times({ ...BASE, region_id: 'new-york', start_at, expires_at: '2028-06-30T23:59:59' })).toEqual([
        '2026-01-01T00:00:00Z',
        '2028-07-01T03:59:59Z',
      ]);
      expect((await times({ expires_at: '2028-12-31T23:59' }))[1]).toBe('2029-01-01T04:59:00Z');
      expect((await times({ expires_at: '2028-12-31T23:59:00Z' }))[1]).toBe('2028-12-31T23:59:00Z');
      expect((await times({ region_id: 'here', expires_at: '2028-06-30T23:59:59' }))[1]).toBe('2028-06-30T23:59:59Z');
    });

    it('I5: a voucher may not be over before its sale is: the one that is set is refused, in an import too', async () => {
      await put('vouchers', { ...BASE, expires_at: '2026-01-05T00:00:00Z' });
      for (const [body, field, message] of [
        [
          { expires_at: '2026-01-04T23:59:59' },
          'expires_at',
          'must not be before end_at, which is 2026-01-05T00:00:00Z',
        ],
        [{ end_at: '2026-01-06T00:00:00Z' }, 'end_at', 'must not be after expires_at, which is 2026-01-05T00:00:00Z'],
      ] as const) {
        const answer = await put('vouchers', body);
        expect([answer.status, answer.body.errors]).toEqual([422, entries(['invalid', message, field])]);
        const line = JSON.stringify({ kind: 'deal', slug: 'vouchers', ...body });
        const options = {
          token: service.operatorToken,
          headers: { 'content-type': 'application/x-ndjson' },
          body: line,
        };
        expect((await service.ask('POST', '/operators/import', options)).body.refused[0].reason).toBe(
          `${field} ${message}`,
        );
      }
      expect((await put('vouchers', { end_at: '2026-01-06T00:00:00Z', expiration_days: 30 })).status).toBe(200);
    });

    it('G4, D10: codes that look the same are one code, and one unit', async () => {
      const numLeft = async (pool: unknown): Promise<number> => {
        await put('coded', { ...BASE, redemption_code_pool: pool });
        return (await service.look('/deals/coded', acme.key)).body.deal.num_left;
      };
      const acme = await service.newPartner('coded');
      expect(await numLeft(['X1', ' X1', 'X1 '])).toBe(1);
      expect(await numLeft('X1 , x1')).toBe(2);
      expect(await numLeft(['\tX1', 'X2'])).toBe(3);
      const wrong = await put('coded', { redemption_code_pool: ['X3', 'X\u200b2', ' '] });
      expect([wrong.status, wrong.body.errors]).toEqual([
        422,
        entries(
          ['invalid', 'must have no invisible characters', 'redemption_code_pool', 'element 2'],
          ['invalid', 'must not be blank', 'redemption_code_pool', 'element 3'],
        ),
      ]);
      expect(await numLeft([])).toBe(3);
    });

    it('G4: a put ignores derived attributes; with an unknown name it is refused and changes nothing', async () => {
      const derived = {
        id: 'x',
        number_sold: 9,
        num_left: 9,
        soldout: true,
        ended: true,
        slug: 'x',
        state: 'landed',
        show_url: 'x',
        image_url: 'x',
        lowdown: 'x',
        starting_price: 9,
      };
      const made = await put('derived', { ...BASE, ...derived });
      expect([made.status, made.body.deal.id, made.body.deal.state]).toEqual([200, 'derived', 'submitted']);
      const wrong = await put('derived', { title: 'Other', stock: 3, colour: 'red', constructor: 1, start_at: 'soon' });
      expect([wrong.status, wrong.body.errors.toSorted((a: Json, b: Json) => (a.field < b.field ? -1 : 1))]).toEqual([
        422,
        entries(
          ['invalid', 'is not an attribute', 'colour'],
          ['invalid', 'is not an attribute', 'constructor'],
          ['invalid', 'must be a time such as 2027-01-31T12:00:00Z', 'start_at'],
        ),
      ]);
      const acme = await service.newPartner('derived');
      expect((await service.look('/deals/derived', acme.key)).body.deal).toMatchObject({ title: 'T', num_left: null });
    });

    it.each([
      [{ start_at: '2026-02-30' }, 'start_at'],
      [{ end_at: 1_700_000_000 }, 'end_at'],
      [{ end_at: '9999-12-31T23:59:59-23:59' }, 'end_at'],
      [{ end_at: '2026-01-01T00:00:00Z' }, 'end_at'],
      [{ current_price: -1 }, 'current_price'],
      [{ current_price: 10 ** 13 }, 'current_price'],
      [{ current_price: 1.5 }, 'current_price'],
      [{ max_per_user: 0 }, 'max_per_user'],
      [{ stock: -1 }, 'stock'],
      [{ stock: 2 ** 53 }, 'stock'],
      [{ expiration_days: 10 ** 9 }, 'expiration_days'],
      [{ affinity_score: 5.1 }, 'affinity_score'],
      [{ type: 'weekly' }, 'type'],
      [{ image: 'http://[' }, 'image'],
      [{ image: 'javascript:alert(1)' }, 'image'],
      [{ redemption_url: 'javascript:alert(1)' }, 'redemption_url'],
      [{ custom_data: 'x' }, 'custom_data'],
      [{ tags: 5 }, 'tags'],
      [{ fulfillment_method: 'sent' }, 'fulfillment_method'],
      [{ locations: [{ address: { latitude: 91, longitude: 0 } }] }, 'locations.0.address.latitude'],
      [{ locations: [5] }, 'locations.0'],
      [{ locations: 'x' }, 'locations'],
      [{ region_id: 'nowhere' }, 'region_id'],
    ])('G4, A2, A8: %j is refused with the name of the field', async (wrong, field) => {
      const answer = await put('refused', { ...BASE, ...wrong });
      expect([answer.status, answer.body.errors.map((each: Json) => each.field)]).toEqual([422, [field]]);
      expect(answer.text).not.toContain('Invalid input');
    });

    it('G4: a change to an end before the start is refused too', async () => {
      await put('window', BASE);
      const answer = await put('window', { start_at: '2026-01-06T00:00:00Z' });
      expect([answer.status, answer.body.errors]).toEqual([
        422,
        [{ type: 'invalid', message: 'must be after start_at', field: 'end_at', resource: 'deal' }],
      ]);
    });
  });

  it('G10: the clock can be read, moves forward and runs on, and never goes back', async () => {
    const before = await timeOf(service);
    const target = before + 86_400_000;
    const moved = await ask('PUT', '/clock', { now: at(target) });
    expect(Object.keys(moved.body)).toEqual(['status', 'now']);
    expect(Date.parse(moved.body.now)).toBeGreaterThanOrEqual(target);
    const read = await ask('GET', '/clock');
    expect(Date.parse(read.body.now)).toBeGreaterThanOrEqual(Date.parse(moved.body.now));
    const back = await ask('PUT', '/clock', { now: at(target - 1000) });
    expect([back.status, back.text]).toEqual([
      422,
      '{"status":"error","error_type":"validation_failed","error_msg":"validation failed","errors":[{"type":"invalid","message":"must not be before the present time","field":"now","resource":"clock"}]}',
    ]);
    expect(await timeOf(service)).toBeGreaterThanOrEqual(target);
    expect((await ask('PUT', '/clock', {})).body.errors).toEqual(entries(['missing_field', 'is missing', 'now']));
    for (const now of ['tomorrow', 5, null, '2026-13-01', '2099-01-01'])
      expect((await ask('PUT', '/clock', { now })).status).toBe(422);
  });

  it('G11: live and ready need no key, and show strangers nothing else', async () => {
    const { key } = await service.newPartner('a-stranger');
    for (const credential of [{}, { key }, { basic: 'acme:secret' }, { headers: { authorization: 'Bearer ' } }])
      for (const path of ['/health/live', '/health/ready']) {
        const { status, text } = await service.ask('GET', path, credential);
        expect([status, text]).toEqual([200, '{"status":"success"}']);
      }
  });

  it('G11: a wrong token at ready is refused, not taken for none', async () => {
    const { key } = await service.newPartner('another-stranger');
    for (const token of ['wrong', key]) {
      const { status, body } = await service.ask('GET', '/health/ready', { token });
      expect([status, body.error_msg]).toEqual([
        401,
        'this token is unknown: send an operator’s or auditor’s, or none',
      ]);
    }
  });

  it('G11: ready shows operators and auditors the log and every view', async () => {
    const { body } = await service.ask('GET', '/health/ready', { token: service.operatorToken });
    expect(Object.keys(body)).toEqual(Object.keys((await service.health()).body));
    const ready = await service.health();
    expect([ready.status, Object.keys(ready.body)]).toEqual([
      200,
      [
        'status',
        'version',
        'commit',
        'initialized',
        'log',
        'findings',
        'more_findings',
        'views',
        'queue',
        'audit',
        'stuck',
      ],
    ]);
    expect(ready.body).toMatchObject(BUILD);
    expect(ready.body.log).toEqual({
      state: 'writing',
      head: expect.stringMatching(/^\d+$/),
      error: null,
      events_of_others: 0,
    });
    const views = ready.body.views.map(({ view }: Json) => view);
    expect(views).toEqual(
      expect.arrayContaining(['deals', 'deal-listing', 'purchases', 'coupons', 'users', 'regions']),
    );
    for (const view of ready.body.views) {
      expect(view).toEqual({ view: expect.any(String), state: 'live', lag: expect.any(Number), error: null });
    }
    expect(ready.body.stuck).toBe(0);
  });
});
