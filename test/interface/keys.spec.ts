import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy, reserve } from '../support/buying.js';
import { RunningService, type Answer, type AskOptions, type TestPartner } from '../support/running-service.js';

const refusal = (detail?: string): string =>
  JSON.stringify({
    status: 'error',
    error_type: 'auth_failed',
    error_msg: 'send a valid api_key, or the header X-Api-Key',
    detail,
  });
const UNKNOWN = refusal('the key that came with this call is unknown or revoked: an operator issues keys');
const OTHER = refusal(
  'this call takes the partner’s api_key or a user’s access token; only /api/v3 takes a user name and password',
);
const UNKNOWN_TOKEN = refusal(
  'the access token that came with this call is unknown or has expired; tokens of operators and auditors do not count here',
);

/** Calls of partners, with ids that need not exist. */
const CALLS = [
  ['GET', '/v1/deals'],
  ['GET', '/deals/lunch'],
  ['POST', '/users'],
  ['GET', '/users/x'],
  ['POST', '/purchases/reserve'],
  ['PUT', '/purchases/x/claim'],
  ['PUT', '/purchases/x/release'],
  ['GET', '/purchases/x'],
  ['GET', '/users/x/purchases'],
  ['GET', '/users/x/coupons'],
  ['PUT', '/coupons/x/redeem'],
  ['PUT', '/users/x/coupons/y/redeem'],
] as const;

describe('keys and tenants', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;
  /** Every answer, except those that show a secret once. */
  const answered: string[] = [];

  beforeAll(async () => {
    service = await RunningService.start({ env: { LOG_LEVEL: 'debug' } });
    acme = await service.newPartner('acme');
    rival = await service.newPartner('rival');
    await service.newDeal('lunch', { stock: null });
  });
  afterAll(() => service.discard());

  const ask = async (method: string, path: string, options: AskOptions = {}): Promise<Answer> => {
    const answer = await service.ask(method, path, options);
    answered.push(JSON.stringify(answer.headers), answer.text);
    return answer;
  };

  it('5.2, A4, 5: a key comes as api_key in query or body, or in the header X-Api-Key', async () => {
    expect((await ask('GET', `/v1/deals?api_key=${acme.key}`)).status).toBe(200);
    expect((await ask('GET', '/v1/deals', { body: { api_key: acme.key } })).status).toBe(200);
    expect((await ask('GET', '/v1/deals', { key: acme.key })).status).toBe(200);
    const body = { deal_id: 'lunch', num_bought: 1 };
    expect((await ask('POST', `/v1/purchases/reserve?api_key=${acme.key}`, { body })).status).toBe(200);
    expect((await ask('POST', '/purchases/reserve', { body: { ...body, api_key: acme.key } })).status).toBe(200);
    expect((await ask('PUT', `/purchases/x/release?api_key=${acme.key}`)).status).toBe(404);
  });

  it.each(CALLS)('5.6, A4, A8, 5: %s %s is 401 without a key, or with a wrong one', async (method, path) => {
    const wrong = `${acme.key.slice(0, -1)}${acme.key.endsWith('A') ? 'B' : 'A'}`;
    for (const [options, text] of [
      [{}, refusal()],
      [{ key: wrong }, UNKNOWN],
      [{ key: '' }, refusal()],
      [{ key: acme.key.toLowerCase() }, UNKNOWN],
      [{ body: { api_key: wrong } }, UNKNOWN],
      [{ body: { api_key: [acme.key] } }, refusal()],
      [{ body: { api_key: { key: acme.key } } }, refusal()],
      [{ key: service.operatorToken }, UNKNOWN],
      [{ token: acme.key }, UNKNOWN_TOKEN],
      [{ token: service.operatorToken }, UNKNOWN_TOKEN],
      [{ body: { access_token: acme.key } }, UNKNOWN_TOKEN],
      [{ headers: { authorization: `Basic ${Buffer.from(`acme:${acme.key}`).toString('base64')}` } }, OTHER],
    ] as readonly (readonly [AskOptions, string])[]) {
      const answer = await ask(method, path, options);
      expect([options, answer.status, answer.text]).toEqual([options, 401, text]);
    }
    expect((await ask(method, `${path}?api_key=${acme.key}&api_key=${acme.key}`)).status).toBe(401);
  });

  it('A4, G2: a second key works beside the first; a revoked key stops at once, and the other goes on', async () => {
    const owner = await service.newPartner('two-keys');
    const second = await service.operate('POST', `/partners/${owner.id}/keys`);
    expect(Object.keys(second)).toEqual(['status', 'api_key', 'key_id']);
    const works = async (key: string): Promise<number> => (await ask('GET', '/v1/deals', { key })).status;
    expect([await works(owner.key), await works(second.api_key)]).toEqual([200, 200]);
    const user = await service.newUser(owner.key, 'shared@example.com');
    expect((await ask('GET', `/users/${user}`, { key: second.api_key })).status).toBe(200);
    await service.operate('DELETE', `/partners/${owner.id}/keys/${owner.keyId}`);
    expect([await works(owner.key), await works(second.api_key)]).toEqual([401, 200]);
    await service.operate('DELETE', `/partners/${owner.id}/keys/${owner.keyId}`);
    for (const keyId of ['nothing', 'constructor', '__proto__', 'toString']) {
      const answer = await ask('DELETE', `/operators/partners/${owner.id}/keys/${keyId}`, {
        token: service.operatorToken,
      });
      expect([answer.status, answer.body.error_type]).toEqual([404, 'find_failed']);
    }
    const elsewhere = await ask('DELETE', `/operators/partners/${acme.id}/keys/${second.key_id}`, {
      token: service.operatorToken,
    });
    expect([elsewhere.status, await works(second.api_key)]).toEqual([404, 200]);
  });

  it('A4: a key stops working when it is revoked, even while calls use it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { api_key, key_id } = await service.operate('POST', `/partners/${acme.id}/keys`);
      let going = true;
      const asking = Promise.all(
        Array.from({ length: 8 }, async () => {
          while (going) await service.ask('GET', '/v1/deals?count=true', { key: api_key });
        }),
      );
      await service.operate('DELETE', `/partners/${acme.id}/keys/${key_id}`);
      expect((await ask('GET', '/v1/deals', { key: api_key })).text).toBe(UNKNOWN);
      going = false;
      await asking;
    }
  });

  it('A5: what another partner owns gets the same answer, byte for byte, as what does not exist', async () => {
    const ann = await service.newUser(acme.key, 'ann@example.com');
    const bea = await service.newUser(rival.key, 'bea@example.com');
    const held = await reserve(service, acme.key, 'lunch');
    const bought = await buy(service, acme.key, 'lunch', ann);
    const own = await reserve(service, rival.key, 'lunch');
    const [coupon] = bought.coupons;
    const pairs: readonly (readonly [string, (id: string) => string, string, ((id: string) => unknown)?])[] = [
      ['GET', (id) => `/users/${id}`, ann],
      ['GET', (id) => `/users/${id}/purchases`, ann],
      ['GET', (id) => `/users/${id}/coupons`, ann],
      ['GET', (id) => `/purchases/${id}`, bought.id],
      ['GET', (id) => `/purchases/${id}`, held.id],
      ['PUT', (id) => `/purchases/${id}/claim`, held.id, () => ({ user_id: bea })],
      ['PUT', (id) => `/purchases/${id}/claim`, bought.id, () => ({ user_id: bea })],
      ['PUT', (id) => `/purchases/${id}/release`, held.id],
      ['PUT', (id) => `/purchases/${id}/release`, bought.id],
      ['PUT', (id) => `/coupons/${id}/redeem`, coupon.id],
      ['PUT', (id) => `/users/${bea}/coupons/${id}/redeem`, coupon.id],
      ['PUT', (id) => `/users/${ann}/coupons/${id}/redeem`, coupon.id],
      ['PUT', () => `/purchases/${own.id}/claim`, ann, (id) => ({ user_id: id })],
    ];
    const shown = ({ status, text, headers }: Answer): unknown => ({
      status,
      text,
      position: headers['holdfast-position'],
    });
    for (const [method, path, id, body] of pairs) {
      const theirs = await ask(method, path(id), { key: rival.key, body: body?.(id) });
      const unknown = await ask(method, path('0'.repeat(32)), { key: rival.key, body: body?.('0'.repeat(32)) });
      expect([method, path(id), theirs.status >= 400]).toEqual([method, path(id), true]);
      expect(shown(theirs)).toEqual(shown(unknown));
    }
    const after = await ask('GET', `/purchases/${held.id}`, { key: acme.key });
    expect(after.body.purchase).toEqual(held);
    expect((await ask('PUT', `/coupons/${coupon.id}/redeem`, { key: acme.key })).status).toBe(200);
  });

  it('A5: both partners see the same deals', async () => {
    const [mine, theirs] = await Promise.all([acme, rival].map(({ key }) => service.look('/deals/lunch', key)));
    expect(mine?.text).toBe(theirs?.text);
    expect((await buy(service, rival.key, 'lunch', await service.newUser(rival.key, 'cid@example.com'))).deal_id).toBe(
      'lunch',
    );
  });

  it('A4: no answer, address or log line contains a key', async () => {
    await ask('GET', `/v1/deals?api_key=${acme.key}&page=0`);
    await ask('GET', `/v1/deals?api_key=${acme.key}&foo=${acme.key}`);
    await ask('POST', `/users?api_key=${acme.key}`, { body: '{' });
    await ask('GET', `/nothing?api_key=${acme.key}`);
    await ask('GET', '/operators/partners', { token: service.operatorToken });
    await ask('GET', '/operators/tokens', { token: service.operatorToken });
    for (const [method, path] of CALLS) await ask(method, path, { key: acme.key });
    expect(answered.length).toBeGreaterThan(40);
    for (const secret of [acme.key, rival.key, service.operatorToken, service.auditorToken]) {
      expect(answered.filter((text) => text.includes(secret))).toEqual([]);
      expect(service.printed).not.toContain(secret);
    }
  });
});
