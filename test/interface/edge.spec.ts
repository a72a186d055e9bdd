import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Line } from '../support/line.js';
import { RunningService, type Answer, type AskOptions, type TestPartner } from '../support/running-service.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const USUAL = 64 * 1024;

describe('at the edge', () => {
  let service: RunningService;
  let acme: TestPartner;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    await service.newDeal('lunch', { stock: null });
    await service.look('/deals/lunch', acme.key);
  });
  afterAll(() => service.discard());

  const raw = async (bytes: string): Promise<string> => (await Line.to(service)).untilClosed(bytes);
  /** The status of a body that comes in pieces, without its length in front. */
  const inPieces = async (path: string, body: string, key?: string): Promise<number> => {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n`;
    const pieces = body.match(/.{1,40000}/gs) ?? [];
    const sent = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('');
    const more = key === undefined ? '' : `X-Api-Key: ${key}\r\n`;
    const answer = await raw(`${head}${more}Connection: close\r\n\r\n${sent}0\r\n\r\n`);
    return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
  };
  const reserve = (pad: number, more: object = {}): string =>
    JSON.stringify({ deal_id: 'lunch', num_bought: 1, ...more, pad: 'x'.repeat(pad) });
  const errorOf = ({ status, body, headers }: Answer): unknown => [
    status,
    body.status,
    body.error_type,
    typeof body.error_msg,
    headers['request-id'] !== undefined,
  ];
  const refused = (status: number, type = 'validation_failed'): unknown => [status, 'error', type, 'string', true];

  describe('reading before the caller is known', () => {
    it('H5: finds a key in a body up to 64 KiB, JSON or form, chunked or whole', async () => {
      const bodies: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
        [reserve(60_000, { api_key: acme.key }), {}],
        [`{"a":{"api_key":"x"},"b":["api_key"],"api\\u005fkey":"${acme.key}","deal_id":"lunch","num_bought":1}`, {}],
        [`deal_id=lunch&num_bought=1&pad=${'x'.repeat(60_000)}&api%5Fkey=${acme.key}`, FORM],
      ];
      for (const [body, headers] of bodies) {
        const answer = await service.ask('POST', '/purchases/reserve', { body, headers });
        expect([body.slice(0, 40), answer.status]).toEqual([body.slice(0, 40), 200]);
      }
      // The last of two counts; but a body that names something twice is malformed (ruling I1).
      for (const [body, status] of [
        [`{"api_key":"x","api\\u005fkey":"${acme.key}"}`, 400],
        [`{"api_key":"${acme.key}","api\\u005fkey":"x"}`, 401],
      ] as const)
        expect((await service.ask('POST', '/purchases/reserve', { body })).status).toBe(status);
      expect(await inPieces('/purchases/reserve', reserve(60_000, { api_key: acme.key }))).toBe(200);
      const larger = reserve(USUAL, { api_key: acme.key });
      const answer = await service.ask('POST', '/users', { body: larger });
      expect(answer.status).toBe(401);
      expect(await inPieces('/users', larger)).toBe(401);
    });

    it('H5: takes a larger body when query or header have a valid key, up to the limit of the call', async () => {
      let users = 0;
      const body = (): string => JSON.stringify({ email: `u${(users += 1)}@example.com`, pad: 'x'.repeat(100_000) });
      expect((await service.ask('POST', '/users', { key: acme.key, body: body() })).status).toBe(200);
      expect((await service.ask('POST', `/users?api_key=${acme.key}`, { body: body() })).status).toBe(200);
      expect(await inPieces('/users', body(), acme.key)).toBe(200);
      const large = await service.ask('POST', '/purchases/reserve', { key: acme.key, body: reserve(USUAL) });
      expect(errorOf(large)).toEqual(refused(413));
      expect(await inPieces('/purchases/reserve', reserve(USUAL), acme.key)).toBe(413);
    });

    it('A2, A4: prefers the body’s key to that of query and header', async () => {
      const wrong = { key: 'wrong', body: { deal_id: 'lunch', num_bought: 1, api_key: acme.key } };
      expect((await service.ask('POST', '/purchases/reserve?api_key=wrong', wrong)).status).toBe(200);
      const right = { key: acme.key, body: { deal_id: 'lunch', num_bought: 1, api_key: 'wrong' } };
      expect((await service.ask('POST', `/purchases/reserve?api_key=${acme.key}`, right)).status).toBe(401);
    });

    it('A4: parses nothing without a credential: a malformed body is 401, and 400 with a credential', async () => {
      const broken: readonly (readonly [string, string | undefined, Readonly<Record<string, string>>])[] = [
        ['', '{', {}],
        ['', '['.repeat(60_000), {}],
        ['', 'a=%', FORM],
        ['?a=%', undefined, {}],
        [`?${Array.from({ length: 1_000 }, (_, n) => `a[${1999 - n}]=`).join('&')}`, '{', {}],
      ];
      for (const [query, body, headers] of broken) {
        const answer = await service.ask('POST', `/users${query}`, { body, headers });
        expect(errorOf(answer)).toEqual(refused(401, 'auth_failed'));
        expect((await service.ask('POST', `/users${query}`, { key: acme.key, body, headers })).status).toBe(400);
      }
      const other = await service.ask('POST', '/users', { body: '<a/>', headers: { 'content-type': 'text/xml' } });
      expect(other.status).toBe(401);
    });

    it('A2, A4: tells a newcomer whose JSON goes out as another type how to send it, or that the service does not read the key there', async () => {
      const json = (api_key?: string): string => JSON.stringify({ deal_id: 'lunch', num_bought: 1, api_key });
      const AS_FORM = 'the body looks like JSON, but is sent as a form: send it with content-type: application/json';
      const NO_KEY = 'send a valid api_key, or the header X-Api-Key';
      const NOT_READ = `${NO_KEY}; an api_key in a body is read as JSON or a form, with its content-type, up to 64 KiB`;
      const { username, password } = await service.operate('POST', `/partners/${acme.id}/password`);
      const TEXT = { 'content-type': 'text/plain;charset=UTF-8' };
      const refusalOf = async (path: string, options: AskOptions): Promise<unknown> => {
        const { status, body } = await service.ask(path.startsWith('/api') ? 'GET' : 'POST', path, options);
        return [status, body.error_msg];
      };
      const path = '/v1/purchases/reserve';
      // curl -d '{"api_key":"…"}', which curl sends as a form.
      expect(await refusalOf(path, { body: json(acme.key), headers: FORM })).toEqual([415, AS_FORM]);
      expect(await refusalOf(path, { body: ` \n${json(acme.key)}`, headers: FORM })).toEqual([415, AS_FORM]);
      expect(await refusalOf(path, { body: json('wrong'), headers: FORM })).toEqual([401, NO_KEY]);
      expect(await refusalOf(path, { body: json(), headers: FORM })).toEqual([401, NO_KEY]);
      // curl -H 'X-Api-Key: …' -d '{…}', and curl -u … -X GET -d '{…}'.
      expect(await refusalOf(path, { key: acme.key, body: json(), headers: FORM })).toEqual([415, AS_FORM]);
      const basic = `${username}:${password}`;
      expect(await refusalOf('/api/v3/deals', { basic, body: json(), headers: FORM })).toEqual([415, AS_FORM]);
      // The type that fetch gives a string, and a body that is too large for anybody.
      expect(await refusalOf(path, { body: json(acme.key), headers: TEXT })).toEqual([401, NOT_READ]);
      expect(await refusalOf(path, { body: reserve(USUAL, { api_key: acme.key }) })).toEqual([401, NOT_READ]);
      expect(await refusalOf(path, {})).toEqual([401, NO_KEY]);
    });

    it('A4: refuses a caller without a key before the body comes, and does not ask for it', async () => {
      const start = 'POST /users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
      for (const more of ['', 'Expect: 100-continue\r\n']) {
        const answer = await raw(`${start}Content-Length: 300000\r\n${more}\r\n`);
        expect(answer).toMatch(/^HTTP\/1\.1 401 /);
        expect(answer).toMatch(/connection: close/i);
      }
      const line = await Line.to(service);
      line.socket.write(`${start}Content-Length: 200000\r\nX-Api-Key: ${acme.key}\r\nExpect: 100-continue\r\n\r\n`);
      await once(line.socket, 'data');
      expect(line.received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      line.socket.destroy();
    });

    it('A4: keeps the connection of a refused body if little of the body is left, and closes it otherwise', async () => {
      const head = 'POST /users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
      const little = `${head}Content-Length: 200000\r\n\r\n${'x'.repeat(200_000)}`;
      const last = 'GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      const answers = (await raw(`${little}${little}${last}`)).match(/HTTP\/1\.1 \d+/g);
      expect(answers).toEqual(['HTTP/1.1 401', 'HTTP/1.1 401', 'HTTP/1.1 404']);
      const text = 'POST /users HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n';
      for (const more of [
        'Content-Length: 262145',
        'Transfer-Encoding: chunked',
        'Content-Length: 9\r\nExpect: 100-continue',
      ])
        expect(await raw(`${text}${more}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 401 [^]*connection: close/i);
    });

    it('A8: lets a refused caller go on with the same connection: after a missing key, malformed JSON, or another type', async () => {
      const post = (key: string, type: string, body: string): string =>
        `POST /users HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      const refusals = [
        post('wrong', 'application/json', '{}'),
        post('wrong', 'application/json', `{"a":"${'x'.repeat(60_000)}"}`),
        post(acme.key, 'application/json', '{'),
        post(acme.key, 'text/xml', '<a/>'),
        post(acme.key, 'text/xml', 'x'.repeat(100_000)),
      ];
      const last = 'GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      const answers = (await raw(`${refusals.join('')}${last}`)).match(/(?<=HTTP\/1\.1 )\d+/g);
      expect(answers).toEqual(['401', '401', '400', '415', '415', '404']);
    });

    it('G11: ignores query and body of health checks and public pages', async () => {
      for (const path of ['/health/live', '/health/ready', '/openapi.json', '/docs', '/C/0']) {
        const plain = await service.ask('GET', path);
        for (const [query, body, headers] of [
          ['?a=%', undefined, {}],
          ['', '{', {}],
          ['', 'x', { 'content-type': 'text/xml' }],
          ['', 'x', { 'content-type': 'no type' }],
          ['', 'x'.repeat(300_000), {}],
        ] as const) {
          expect((await service.ask('GET', `${path}${query}`, { body, headers })).status).toBe(plain.status);
        }
      }
    });
  });

  it('A8: wrong passwords become 429 after twenty, for known and unknown names alike, and the right one still works', async () => {
    const { password } = await service.operate('POST', `/partners/${acme.id}/password`);
    const statuses = async (name: string): Promise<number[]> => {
      const seen: number[] = [];
      for (let n = 0; n < 22; n += 1) {
        const { status, headers } = await service.ask('GET', '/api/v3/deals?fields=id', { basic: `${name}:wrong${n}` });
        if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
        seen.push(status);
      }
      return seen;
    };
    const expected = [...Array<number>(20).fill(401), 429, 429];
    expect([await statuses('acme'), await statuses('nobody')]).toEqual([expected, expected]);
    expect((await service.ask('GET', '/api/v3/deals?fields=id', { basic: `acme:${password}` })).status).toBe(200);
  });

  it('A2, A8: a body that is not UTF-8, or is compressed, is refused and never changed silently', async () => {
    const latin1 = (bytes: string): Promise<string> =>
      Line.to(service).then((line) => line.untilClosed(Buffer.from(bytes, 'latin1')));
    const post = (body: string, type: string, more = ''): Promise<string> =>
      latin1(
        `POST /users HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${acme.key}\r\nContent-Type: ${type}\r\n${more}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    const jose = '{"email":"jose@example.com","firstname":"Jos\xe9"}';
    expect(await post(jose, 'application/json')).toMatch(/^HTTP\/1\.1 400 [^]*the body is not UTF-8/);
    const form = 'email=jose@example.com&firstname=Jos\xe9';
    expect(await post(form, FORM['content-type'])).toMatch(/^HTTP\/1\.1 400 /);
    const coded = await post('\x1f\x8b', 'application/json', 'Content-Encoding: gzip\r\n');
    expect(coded).toMatch(/^HTTP\/1\.1 415 [^]*without a Content-Encoding/);
    expect(await post('{"email":"jose@example.com"}', 'application/json', 'Content-Encoding: identity\r\n')).toMatch(
      /^HTTP\/1\.1 200 /,
    );
    const nobody = { body: '{}', headers: { 'content-encoding': 'gzip' } };
    expect((await service.ask('POST', '/users', nobody)).status).toBe(401);
  });

  it('A4: no cache may keep answers for one caller, and no client may guess their type', async () => {
    for (const [path, key] of [
      ['/deals', acme.key],
      ['/deals', undefined],
      ['/nothing', acme.key],
      ['/health/live', undefined],
    ] as const) {
      const { headers } = await service.ask('GET', path, { key });
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['strict-transport-security']).toBeUndefined();
      if (path === '/deals') expect(headers['cache-control']).toBe('no-store');
    }
  });
});
