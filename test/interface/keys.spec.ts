import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy, reserve } from '../support/buying.js';
import {
  RunningService,
  type Answer,
  type AskOptions,
  type Json,
  type TestPartner,
} from '../support/running-service.js';

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

const HOLD = { deal_id: 'lunch', num_bought: 1 };
const TILL = { name: 'till', scope: 'coupon', access: 'read,write' };

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

  const SUSPENDED = '{"status":"error","error_type":"auth_failed","error_msg":"suspended: ask the operator"}';
  const ALL = { expires_in: 600, scope: 'all', access: 'read,write' };

  it('I10: a suspended partner’s right credentials are 403, wrong ones 401; what was sold goes on, and what ended stays ended', async () => {
    const owner = await service.newPartner('paused');
    const { password } = await service.operate('POST', `/partners/${owner.id}/password`);
    const till = await service.operate('POST', `/partners/${owner.id}/keys`, TILL);
    const user = await service.newUser(owner.key, 'paula@example.com');
    const issued = await ask('POST', `/users/${user}/access_tokens`, { key: owner.key, body: ALL });
    const token = issued.body.access_token.id;
    const held = await reserve(service, owner.key, 'lunch');
    const [coupon, other] = (await buy(service, owner.key, 'lunch', user, 2)).coupons;
    const headers = { 'idempotency-key': 'before' };
    const kept = await ask('POST', '/purchases/reserve', { key: owner.key, headers, body: HOLD });
    expect(kept.status).toBe(200);
    const ways: readonly (readonly [string, AskOptions])[] = [
      ['/coupons', { key: owner.key }],
      ['/coupons', { body: { api_key: owner.key } }],
      ['/coupons', { key: till.api_key }],
      ['/coupons', { token }],
      ['/nowhere-near', { key: owner.key }],
      ['/api/v3/deals?fields=id', { basic: `paused:${password}` }],
    ];
    const change = await service.operate('PUT', `/partners/${owner.id}`, { suspended: true });
    expect(change.partner).toEqual({ id: owner.id, storefront_url: null, suspended: true });
    for (const [path, options] of ways) {
      const answer = await ask('GET', path, options);
      expect([path, answer.status, answer.text]).toEqual(
        path === '/nowhere-near' ? [path, 404, answer.text] : [path, 403, SUSPENDED],
      );
    }
    for (const [path, options] of [
      ['/coupons', { key: `${owner.key}x` }],
      ['/coupons', { token: `${token}x` }],
      ['/api/v3/deals?fields=id', { basic: `paused:${password}x` }],
    ] as const)
      expect([path, (await ask('GET', path, options)).status]).toEqual([path, 401]);
    expect((await ask('PUT', `/purchases/${held.id}/claim`, { key: owner.key, body: { user_id: user } })).text).toBe(
      SUSPENDED,
    );
    // A stored answer is an answer, too.
    expect((await ask('POST', '/purchases/reserve', { key: owner.key, headers, body: HOLD })).text).toBe(SUSPENDED);
    expect((await ask('GET', new URL(coupon.print_url).pathname)).status).toBe(200);
    expect((await ask('GET', `/C/${coupon.id.toUpperCase()}`)).status).toBe(200);
    await service.operate('POST', `/coupons/${other.id}/cancel`, { reason: 'asked' });
    // What ends meanwhile does not come back.
    await service.operate('DELETE', `/partners/${owner.id}/keys/${till.key_id}`);
    expect((await service.operate('PUT', `/partners/${owner.id}`, { suspended: false })).partner.suspended).toBe(false);
    expect((await ask('GET', `/users/${user}/coupons`, { key: owner.key })).status).toBe(200);
    expect((await ask('GET', '/coupons', { token })).status).toBe(200);
    expect((await ask('GET', '/coupons', { key: till.api_key })).text).toBe(UNKNOWN);
    expect((await ask('GET', '/api/v3/deals?fields=id', { basic: `paused:${password}` })).status).toBe(200);
    const again = await ask('POST', '/purchases/reserve', { key: owner.key, headers, body: HOLD });
    expect([again.text, again.headers['idempotency-replayed']]).toEqual([kept.text, 'true']);
    expect((await ask('PUT', `/purchases/${held.id}/claim`, { key: owner.key, body: { user_id: user } })).status).toBe(
      200,
    );
  });

  it('I10: what is changed of a partner is named, and the rest stays', async () => {
    const owner = await service.newPartner('changed');
    const change = (body: object): Promise<Answer> =>
      ask('PUT', `/operators/partners/${owner.id}`, { token: service.operatorToken, body });
    const url = 'https://shop.example/{deal_id}';
    expect((await change({ storefront_url: url })).body.partner).toEqual({
      id: owner.id,
      storefront_url: url,
      suspended: false,
    });
    expect((await change({ suspended: 'true' })).body.partner).toEqual({
      id: owner.id,
      storefront_url: url,
      suspended: true,
    });
    expect((await change({ storefront_url: null })).body.partner).toEqual({
      id: owner.id,
      storefront_url: null,
      suspended: true,
    });
    const nothing = await change({});
    expect([nothing.status, nothing.body.errors.map(({ field }: Json) => field)]).toEqual([
      422,
      ['storefront_url', 'suspended'],
    ]);
    const wrong = await change({ suspended: 'soon' });
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, 'suspended']);
  });

  it('I8: a restricted key is issued with name, scope and access, and listed with its day of use', async () => {
    const owner = await service.newPartner('tills');
    const issue = (body: object): Promise<Answer> =>
      ask('POST', `/operators/partners/${owner.id}/keys`, { token: service.operatorToken, body });
    const faults = async (body: object): Promise<Json> => {
      const { status, body: answer } = await issue(body);
      return [status, ...answer.errors.map(({ field, type }: Json) => `${field} ${type}`)];
    };
    expect(await faults({ scope: 'coupon' })).toEqual([422, 'name missing_field', 'access missing_field']);
    expect(await faults({ name: 'x', access: 'read' })).toEqual([422, 'scope missing_field']);
    expect(await faults({ ...TILL, scope: 'coupons' })).toEqual([422, 'scope invalid']);
    expect(await faults({ ...TILL, access: 'admin' })).toEqual([422, 'access invalid']);
    expect(await faults({ ...TILL, name: 'x'.repeat(101) })).toEqual([422, 'name invalid']);
    // A slip must not issue a full key.
    expect(await faults({ scopes: 'coupon' })).toEqual([422, 'scopes invalid']);
    expect(await faults({ Name: 'till', Scope: 'coupon' })).toEqual([422, 'Name invalid', 'Scope invalid']);
    for (const name of ['  ', 'ti\u200bll', 'ti\u0000ll'])
      expect(await faults({ ...TILL, name })).toEqual([422, 'name invalid']);
    const till = await issue({ ...TILL, name: ' till ' });
    expect(till.status).toBe(200);
    expect(await faults({ ...TILL, name: 'TILL', access: 'read' })).toEqual([422, 'name invalid']);
    // Keys of one name replace each other, so they allow the same.
    expect(await faults({ ...TILL, access: 'read' })).toEqual([422, 'name invalid']);
    expect(await faults({ name: 'till' })).toEqual([422, 'name invalid']);
    const next = await issue({ ...TILL, access: ['write', 'read'] });
    expect(next.status).toBe(200);
    expect((await ask('GET', '/coupons', { key: till.body.api_key })).status).toBe(422);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/);
    const { now } = await service.operate('GET', '/clock');
    const key = { created_at: time, revoked: false };
    const keysOf = async (): Promise<Json> => {
      const { partners } = await service.operate('GET', '/partners?per_page=1000');
      return partners.find(({ id }: Json) => id === owner.id).keys;
    };
    const used = { ...key, ...TILL, key_id: till.body.key_id, scope: ['coupon'], access: ['read', 'write'] };
    // The day is written after the call.
    for (let tries = 0; (await keysOf())[1].last_used_on === null && tries < 100; tries += 1) await pause(20);
    expect(await keysOf()).toEqual([
      { ...key, key_id: owner.keyId, name: null, scope: null, access: null, last_used_on: null },
      { ...used, last_used_on: now.slice(0, 10) },
      { ...used, key_id: next.body.key_id, access: ['write', 'read'], last_used_on: null },
    ]);
    await service.operate('DELETE', `/partners/${owner.id}/keys/${till.body.key_id}`);
    expect((await keysOf())[1]).toEqual({ ...used, last_used_on: null, revoked: true });
  });

  it('I11, A11: all full credentials of a partner see one record of a repeat; keys of one name one, and other names none', async () => {
    const owner = await service.newPartner('repeats');
    const { api_key: second } = await service.operate('POST', `/partners/${owner.id}/keys`, { name: 'second' });
    const restricted = async (name: string, scope: string): Promise<string> =>
      (await service.operate('POST', `/partners/${owner.id}/keys`, { name, scope, access: 'write' })).api_key;
    const [till, successor, door] = [
      await restricted('till', 'purchase'),
      await restricted('till', 'purchase'),
      await restricted('door', 'purchase'),
    ];
    const headers = { 'idempotency-key': 'one-sale' };
    const hold = (key: string, body: object = HOLD): Promise<Answer> =>
      ask('POST', '/purchases/reserve', { key, headers, body });
    const first = await hold(owner.key);
    expect([first.status, (await hold(second)).text]).toEqual([200, first.text]);
    expect((await hold(second, { ...HOLD, num_bought: 2 })).status).toBe(422);
    const [ofTill, ofSuccessor, ofDoor] = [await hold(till), await hold(successor), await hold(door)];
    expect([ofTill.status, ofSuccessor.text, ofDoor.status]).toEqual([200, ofTill.text, 200]);
    const ids = [first, ofTill, ofDoor].map(({ body }) => body.purchase.id);
    expect(new Set(ids).size).toBe(3);
    // No stored answer reaches a key that may not make the call.
    const reader = (
      await service.operate('POST', `/partners/${owner.id}/keys`, { name: 'reader', scope: 'all', access: 'read' })
    ).api_key;
    expect((await hold(reader)).status).toBe(403);
  });

  it('I11: the v3 password and the keys of a partner see one record of a repeat', async () => {
    const owner = await service.newPartner('both-ways');
    const { password } = await service.operate('POST', `/partners/${owner.id}/password`);
    const headers = { 'idempotency-key': 'order-1' };
    const first = await ask('POST', '/api/v3/resellers/purchases', {
      basic: `both-ways:${password}`,
      headers,
      body: {},
    });
    const second = await ask('POST', '/purchases/reserve', { key: owner.key, headers, body: HOLD });
    expect([first.status, second.status]).toEqual([422, 422]);
    expect(second.body.error_msg).toBe('this Idempotency-Key was used for another request');
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
