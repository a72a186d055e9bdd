import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Browser } from '../support/browser.js';
import { itInBrowser } from '../support/in-browser.js';
import {
  RunningService,
  type Answer,
  type AskOptions,
  type Json,
  type TestPartner,
} from '../support/running-service.js';
import { TABLE } from './conventions.table.js';

const ALL = { expires_in: 600, scope: 'all', access: 'read,write' };
const STRANGER = 'https://stranger.example';
/** What a browser makes of an answer for a page of this origin. */
function readable({ headers }: Answer, origin: string): boolean {
  return headers['access-control-allow-origin'] === origin;
}

describe('A7: pages of other origins', () => {
  let service: RunningService;
  let pages: Server;
  /** The origin of the pages, which CORS_ORIGINS names. */
  let shop: string;
  let acme: TestPartner;
  let user: string;
  let token: string;

  beforeAll(async () => {
    pages = createServer((_, response) => void response.setHeader('content-type', 'text/html').end('<p>A shop'));
    await once(pages.listen(0, '127.0.0.1'), 'listening');
    shop = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    service = await RunningService.start({
      env: { CORS_ORIGINS: `https://other.example,${shop}`, RATE_LIMIT: '1000/600' },
    });
    acme = await service.newPartner('acme');
    await service.newDeal('lunch', { stock: null });
    user = await service.newUser(acme.key, 'ann@example.com');
    token = await newToken();
  });
  afterAll(async () => {
    pages.close();
    await service.discard();
  });

  const newToken = async (body: object = ALL, of = user): Promise<string> =>
    (await service.ask('POST', `/users/${of}/access_tokens`, { key: acme.key, body })).body.access_token.id;
  const ask = (method: string, path: string, options: AskOptions = {}, origin = shop): Promise<Answer> =>
    service.ask(method, path, { ...options, headers: { origin, ...options.headers } });
  const preflight = (path: string, method: string, origin = shop): Promise<Answer> =>
    service.ask('OPTIONS', path, {
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization' },
    });

  it('may call with a token what a token may call: the browser learns it before, without a credential', async () => {
    const answer = await preflight('/v1/purchases/reserve.json', 'POST');
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': shop,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers':
        'Authorization, Content-Type, Idempotency-Key, Holdfast-Position, X-Request-Id, traceparent',
      'access-control-max-age': '600',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    });
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    expect((await preflight(`/users/${user}`, 'PUT')).headers['access-control-allow-methods']).toBe('GET, HEAD, PUT');
    for (const other of [await preflight('/user', 'GET', STRANGER), await service.ask('OPTIONS', '/user')]) {
      expect([other.status, other.headers['access-control-allow-origin']]).toEqual([204, undefined]);
    }
  });

  it.each(Object.keys(TABLE))('%s may be called by them only with a token', async (route) => {
    const [method = '', path = ''] = route.split(' ');
    const written = path.replace(/:\w+/g, 'x');
    const { headers } = await preflight(written, method);
    const allowed = (headers['access-control-allow-methods'] ?? '').split(', ').includes(method);
    // A token may call what does not answer that the call is the partner's alone.
    const isFor = TABLE[route]?.who === 'partner';
    const asked = isFor ? await service.ask(method, written, { token }) : undefined;
    const takes = asked !== undefined && !asked.text.includes('takes no access token');
    expect([route, allowed]).toEqual([route, takes]);
    if (allowed) expect(headers['access-control-allow-origin']).toBe(shop);
  });

  it('read the answers to calls with a token, refusals too, and the headers that they need', async () => {
    const expired = await newToken({ ...ALL, expires_in: 1 });
    await service.forward(2);
    const mine = { token };
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const asked: readonly (readonly [number, Promise<Answer>])[] = [
      [200, ask('GET', '/user', mine)],
      [200, ask('GET', `/user?access_token=${token}`)],
      [200, ask('PUT', '/user', { body: `access_token=${token}&first_name=Ann`, headers: form })],
      [200, ask('POST', '/purchases/reserve', { ...mine, body: { deal_id: 'lunch', num_bought: 1 } })],
      [400, ask('PUT', '/user', { ...mine, body: '{', headers: { 'content-type': 'application/json' } })],
      [401, ask('GET', '/user', { token: expired })],
      [403, ask('GET', '/users/somebody', mine)],
      [404, ask('GET', '/purchases/nothing', mine)],
      [415, ask('PUT', '/user', { ...mine, body: '<a/>', headers: { 'content-type': 'text/xml' } })],
      [422, ask('POST', '/purchases/reserve', { ...mine, body: {} })],
    ];
    for (const [status, answering] of asked) {
      const answer = await answering;
      expect([status, answer.status, readable(answer, shop), answer.headers['vary']]).toEqual([
        status,
        status,
        true,
        'Origin',
      ]);
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
    expect(readable(await ask('GET', '/user', mine, STRANGER), STRANGER)).toBe(false);
    expect((await ask('GET', '/user', mine, STRANGER)).headers['vary']).toBe('Origin');
    expect((await service.ask('GET', '/user', mine)).headers['access-control-allow-origin']).toBeUndefined();
  });

  it('I11: read that they must wait', async () => {
    const bea = await service.newUser(acme.key, 'bea@example.com');
    const hers = await newToken(ALL, bea);
    let answer = await ask('GET', '/user', { token: hers });
    for (let n = 0; n < 100 && answer.status === 200; n += 1) answer = await ask('GET', '/user', { token: hers });
    expect([answer.status, readable(answer, shop)]).toEqual([429, true]);
    expect(answer.headers['access-control-expose-headers']).toContain('Retry-After');
  });

  it('read every header that a call with a token is documented to answer', async () => {
    const document = (await service.ask('GET', '/openapi.json')).body;
    const exposed = (await ask('GET', '/user', { token })).headers['access-control-expose-headers'] ?? '';
    const names = exposed.toLowerCase().split(', ');
    const operations: Json[] = Object.values<Json>(document.paths).flatMap((path) => Object.values<Json>(path));
    const withToken = operations.filter(({ security }) => security.some((each: Json) => 'accessToken' in each));
    const documented = new Set<string>();
    for (const { responses } of withToken) {
      for (const response of Object.values<Json>(responses)) {
        const whole =
          response.$ref === undefined ? response : document.components.responses[response.$ref.split('/').at(-1)];
        for (const name of Object.keys(whole.headers)) documented.add(name.toLowerCase());
      }
    }
    expect(documented.size).toBeGreaterThan(3);
    expect([...documented].filter((name) => !names.includes(name))).toEqual([]);
  });

  it('read nothing of a call with a key or a password, whatever else it has', async () => {
    const basic = { authorization: `Basic ${Buffer.from('acme:x').toString('base64')}` };
    const asked: readonly Promise<Answer>[] = [
      ask('GET', '/deals', { key: acme.key }),
      ask('GET', `/deals?api_key=${acme.key}`),
      ask('GET', '/deals?api_key=wrong'),
      ask('GET', '/user', { key: acme.key, token }),
      ask('GET', `/user?api_key=${acme.key}&access_token=${token}`),
      ask('PUT', '/user', { token, body: { first_name: 'Ann', api_key: acme.key } }),
      ask('GET', `/user?access_token=${token}`, { headers: basic }),
      ask('GET', '/deals'),
      ask('GET', '/operators/partners', { token: service.operatorToken }),
      ask('GET', `/api/v3/deals?fields=id&access_token=${token}`, { headers: basic }),
      ask('GET', '/nowhere', { token }),
    ];
    for (const answer of await Promise.all(asked)) {
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  itInBrowser('A7: in a browser, a page calls with a token, and cannot read a call with a key', async () => {
    const browser = await Browser.start();
    try {
      await browser.open(shop, { width: 400, height: 400, scale: 1, media: 'screen' });
      const call = (path: string, options: object): Promise<Json> =>
        browser.ask(
          `fetch(${JSON.stringify(service.url + path)}, ${JSON.stringify(options)}).then(async (answer) => ` +
            `[answer.status, answer.headers.get('holdfast-position') !== null, (await answer.json()).status], () => 'blocked')`,
        );
      const bearer = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': 'b-1' };
      const hold = { method: 'POST', headers: bearer, body: JSON.stringify({ deal_id: 'lunch', num_bought: 1 }) };
      expect(await call('/purchases/reserve', hold)).toEqual([200, true, 'success']);
      expect(await call('/users/somebody', { headers: { authorization: bearer.authorization } })).toEqual([
        403,
        false,
        'error',
      ]);
      expect(await call('/deals', { headers: { 'x-api-key': acme.key } })).toBe('blocked');
      expect(await call(`/deals?api_key=${acme.key}`, {})).toBe('blocked');
      expect(await call(`/users/${user}/access_tokens`, { headers: { authorization: bearer.authorization } })).toBe(
        'blocked',
      );
    } finally {
      await browser.close();
    }
  });
});

describe('A7: without CORS_ORIGINS', () => {
  it('pages of other origins read nothing', async () => {
    const service = await RunningService.start();
    const acme = await service.newPartner('acme');
    const user = await service.newUser(acme.key, 'ann@example.com');
    const issued = await service.ask('POST', `/users/${user}/access_tokens`, { key: acme.key, body: ALL });
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'GET' };
    for (const answer of [
      await service.ask('OPTIONS', '/user', { headers }),
      await service.ask('GET', '/user', { token: issued.body.access_token.id, headers }),
    ]) {
      expect(Object.keys(answer.headers).filter((name) => /^(access-control|vary)/.test(name))).toEqual([]);
    }
    await service.discard();
  });
});
