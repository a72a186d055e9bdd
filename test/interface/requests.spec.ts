import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy, reserve } from '../support/buying.js';
import { NO_DEAL, NO_PURCHASE } from '../support/refusals.js';
import {
  RunningService,
  type Answer,
  type AskOptions,
  type Json,
  type TestPartner,
} from '../support/running-service.js';

const PREFIXES = ['', '/v1', '/api/v1'];
const NOWHERE =
  '{"status":"error","error_type":"find_failed","error_msg":"no such path","detail":"GET /docs shows every call with its path"}';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const TWICE = 'it is given more than once: give it once';

/** Type, message and field of an error. */
type Fault = readonly [string, string, string, detail?: string];

describe('requests', () => {
  let service: RunningService;
  let acme: TestPartner;
  let ann: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    ann = await service.newUser(acme.key, 'ann@example.com');
    await service.newDeal('lunch', { stock: null });
    await service.newDeal('2024');
    await service.look('/deals/lunch', acme.key);
  });
  afterAll(() => service.discard());

  const ask = (method: string, path: string, options: AskOptions = {}): Promise<Answer> =>
    service.ask(method, path, { key: acme.key, ...options });
  const reserves = (body: unknown): Promise<Answer> => ask('POST', '/purchases/reserve', { body });
  const faults = (...entries: readonly Fault[]): string =>
    JSON.stringify({
      status: 'error',
      error_type: 'validation_failed',
      error_msg: 'validation failed',
      errors: entries.map(([type, message, field, detail]) => ({ type, message, field, resource: 'purchase', detail })),
    });

  it('A2: an answer names the parameters that were not used, and the nearest name; a missing one says so too', async () => {
    const changed = await ask('PUT', `/users/${ann}`, {
      body: { firstname: 'Ann', first_name: 'Anne', api_key: acme.key },
    });
    expect([changed.status, changed.headers['holdfast-ignored']]).toEqual([200, 'firstname']);
    const renamed = await ask('PUT', `/users/${ann}?color=red`, { body: { firstname: 'Ann' } });
    expect([renamed.status, renamed.headers['holdfast-ignored']]).toEqual([200, 'color, firstname (first_name?)']);
    const reserved = await reserves({ deal_id: 'lunch', quantity: 1 });
    expect([reserved.status, reserved.headers['holdfast-ignored'], reserved.text]).toEqual([
      422,
      'quantity (num_bought?)',
      faults(['missing_field', 'is missing', 'num_bought', 'quantity was sent, which this call does not take']),
    ]);
    const full = await ask('POST', '/purchases/full', {
      body: {
        deal_id: 'lunch',
        quantity: 1,
        user: { mail: 'x@example.com', pass: 'secret', pass_confirmation: 'secret' },
        card: {},
      },
    });
    expect(full.headers['holdfast-ignored']).toBe('user.mail (user.email?), card (credit_card?)');
    expect(full.body.errors.map(({ field, resource, detail }: Json) => [resource, field, detail])).toEqual([
      ['user', 'email', 'user.mail was sent, which this call does not take'],
      ['credit_card', undefined, 'card was sent, which this call does not take'],
    ]);
    const list = await ask('GET', '/v1/deals?titel=x');
    expect([list.status, list.headers['holdfast-ignored']]).toEqual([404, 'titel (title?)']);
    const { status, headers } = await service.ask('PUT', `/users/${ann}`, { body: { firstname: 'Ann' } });
    expect([status, headers['holdfast-ignored']]).toEqual([401, undefined]);
  });

  describe('paths', () => {
    /** Every call, with a body with which it succeeds. */
    async function calls(): Promise<(readonly [string, string, unknown])[]> {
      const { id, coupons } = await buy(service, acme.key, 'lunch', ann, 2);
      const held = await reserve(service, acme.key, 'lunch');
      const other = await reserve(service, acme.key, 'lunch');
      return [
        ['GET', '/deals', undefined],
        ['GET', '/deals/lunch', undefined],
        ['POST', '/users', { email: `new-${id}@example.com` }],
        ['GET', `/users/${ann}`, undefined],
        ['POST', '/purchases/reserve', { deal_id: 'lunch', num_bought: 1 }],
        ['PUT', `/purchases/${held.id}/claim`, { user_id: ann }],
        ['PUT', `/purchases/${other.id}/release`, undefined],
        ['GET', `/purchases/${id}`, undefined],
        ['GET', `/users/${ann}/purchases`, undefined],
        ['GET', `/users/${ann}/coupons`, undefined],
        ['PUT', `/coupons/${coupons[0].id}/redeem`, undefined],
        ['PUT', `/users/${ann}/coupons/${coupons[1].id}/redeem`, undefined],
      ];
    }

    it.each(PREFIXES.flatMap((prefix) => ['', '.json'].map((suffix) => [prefix, suffix])))(
      '9.1, 9.3, A1, 9: every call answers with the prefix "%s" and the suffix "%s"',
      async (prefix, suffix) => {
        for (const [method, path, body] of await calls()) {
          const answer = await ask(method, `${prefix}${path}${suffix}`, { body });
          expect([path, answer.status, answer.body.status]).toEqual([path, 200, 'success']);
        }
      },
    );

    it('A8: a browser on a wrong path gets a page with a link to the reference, a program gets JSON', async () => {
      const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
      const page = await service.ask('GET', '/nowhere', { headers: BROWSER });
      expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(page.text).toContain('<a href="/docs">');
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
      for (const accept of ['*/*', 'application/json'])
        expect((await service.ask('GET', '/nowhere', { headers: { accept } })).text).toBe(NOWHERE);
      // A wrong id is no wrong path.
      const unknown = await ask('GET', '/purchases/0', { headers: BROWSER });
      expect([unknown.status, unknown.body.error_msg]).toEqual([404, 'Unable to find']);
    });

    it('9.2, A1, 9: the version-3 prefix, other prefixes and repeated ones are 404', async () => {
      for (const path of [
        '/api/v3/purchases',
        '/v1/api/v3/deals',
        '/api/v1/api/v3/deals',
        '/v2/deals',
        '/v1/v1/deals',
        '/api/v1/v1/deals',
        '/v1/api/v1/deals',
        '/V1/deals',
        '/v1deals',
        '/v1',
        '/v1/',
        '/deals/',
        '/deals.xml',
        '/deals.json.json',
        '/v1//deals',
      ]) {
        const answer = await ask('GET', path);
        expect([path, answer.status, answer.text]).toEqual([path, 404, NOWHERE]);
      }
    });

    it('A1: the paths of operators, auditors and health checks have no prefix and no suffix', async () => {
      const { id } = await buy(service, acme.key, 'lunch', ann);
      for (const path of [
        '/operators/partners',
        '/operators/clock',
        `/auditors/purchases/${id}/history`,
        '/health/live',
      ]) {
        const asOperator = { key: undefined, token: service.operatorToken };
        expect((await ask('GET', path, asOperator)).status).toBe(200);
        for (const other of [`/v1${path}`, `/api/v1${path}`, `${path}.json`]) {
          const answer = await ask('GET', other, asOperator);
          expect([other, answer.status, answer.text]).toEqual([other, 404, NOWHERE]);
        }
      }
    });

    it('A8: a malformed path gets the same answer as an unknown one', async () => {
      for (const path of ['/deals/%', '/deals/%E0%A4%A', '/%', '/v1/%ff/x']) {
        const answer = await ask('GET', path);
        expect([answer.status, answer.text]).toEqual([404, NOWHERE]);
        expect(answer.headers['request-id']).toBeDefined();
      }
    });
  });

  describe('parameters', () => {
    it('A2: come in the query, in a JSON body, or both; the body wins', async () => {
      const requests: readonly (readonly [string, unknown])[] = [
        ['?deal_id=lunch&num_bought=2', undefined],
        ['', { deal_id: 'lunch', num_bought: 2 }],
        ['?deal_id=lunch', { num_bought: 2 }],
        ['?deal_id=nothing&num_bought=7', { deal_id: 'lunch', num_bought: 2 }],
        ['?deal_id=lunch&num_bought=2', '{}'],
      ];
      for (const [query, body] of requests) {
        const answer = await ask('POST', `/purchases/reserve${query}`, { body });
        expect([query, answer.status, answer.body.purchase?.number_bought]).toEqual([query, 200, 2]);
      }
      const listed = await ask('GET', '/deals?region=nowhere', { body: { region: 'testland' } });
      expect(listed.body.deals).toHaveLength(2);
    });

    it('A2, 4.6.1: come as a form, or nested in the query string, as the full purchase with its sections', async () => {
      const card = { number: '4242424242424242', verification_value: '123', month: 12, year: 2035, zip_code: '02114' };
      const purchase = (email: string): URLSearchParams =>
        new URLSearchParams([
          ['deal_id', 'lunch'],
          ['quantity', '2'],
          ['user[email]', email],
          ['user[password]', 'a secret & more'],
          ['user[password_confirmation]', 'a secret & more'],
          ['user[first_name]', 'Ann Zoë'],
          ...Object.entries(card).map(([name, value]) => [`credit_card[${name}]`, String(value)]),
        ] as [string, string][]);
      for (const [query, body, headers] of [
        ['', String(purchase('form@example.com')), FORM],
        ['', decodeURIComponent(String(purchase('raw@example.com'))).replace(' & ', '%20%26%20'), FORM],
        ['', String(purchase('utf8@example.com')), { 'content-type': `${FORM['content-type']};charset=UTF-8` }],
        [`?${String(purchase('query@example.com'))}`, undefined, {}],
      ] as const) {
        const answer = await ask('POST', `/v1/purchases/full.json${query}`, { body, headers });
        expect([answer.status, answer.body.purchase?.number_bought]).toEqual([200, 2]);
        const user = await ask('GET', `/users/${answer.body.purchase.user_id}`);
        expect(user.body.user.firstname).toBe('Ann Zoë');
      }
      const faulty = await ask('POST', '/purchases/full', { body: 'deal_id=lunch&user[email]=x', headers: FORM });
      expect(faulty.body.errors).toContainEqual(expect.objectContaining({ field: 'email', resource: 'user' }));
    });

    it('A2: come as a form with any method; its body wins over the query, and lists have any of their forms', async () => {
      const listed = await ask('GET', '/deals?count=false', { body: 'count=true', headers: FORM });
      expect(listed.body).toEqual({ status: 'success', count: 2 });
      const { id } = await reserve(service, acme.key, 'lunch');
      const claimed = await ask('PUT', `/purchases/${id}/claim`, { body: `user_id=${ann}`, headers: FORM });
      expect(claimed.body.purchase.user_id).toBe(ann);
      const filtered = async (query: string, options: AskOptions = {}): Promise<unknown> =>
        (await ask('GET', `/users/${ann}/coupons${query}`, options)).text;
      const all = await filtered('?filter=valid,redeemed');
      expect(all).toContain(claimed.body.purchase.coupons[0].id);
      for (const query of ['?filter[]=valid&filter[]=redeemed', '?filter=valid&filter=redeemed', '?filter[0]=valid'])
        expect(await filtered(query.replace('[0]=valid', '[0]=valid&filter[1]=redeemed'))).toBe(all);
      expect(await filtered('', { body: 'filter[]=valid&filter[]=redeemed', headers: FORM })).toBe(all);
      expect(await filtered('', { body: { 'filter[]': ['valid', 'redeemed'] } })).toBe(all);
    });

    it('A2: with a JSON content type and no body count as no body', async () => {
      for (const headers of [
        { 'content-type': 'application/json' },
        { 'content-type': 'application/json; charset=utf-8' },
      ]) {
        expect((await ask('POST', '/purchases/reserve?deal_id=lunch&num_bought=1', { headers })).status).toBe(200);
        expect((await ask('GET', '/deals', { headers })).status).toBe(200);
      }
      expect((await ask('POST', '/purchases/reserve?deal_id=lunch&num_bought=1', { body: '' })).status).toBe(200);
    });

    it('A2: may give numbers and booleans as text, and a text as a number, in its decimal form', async () => {
      expect((await reserves({ deal_id: 'lunch', num_bought: '2' })).body.purchase.number_bought).toBe(2);
      expect((await ask('GET', '/deals?count=true')).body).toEqual({ status: 'success', count: 2 });
      expect((await ask('GET', '/deals', { body: { count: 'true' } })).body).toEqual({ status: 'success', count: 2 });
      expect((await reserves({ deal_id: 2024, num_bought: 1 })).body.purchase.deal_id).toBe('2024');
    });

    it.each([
      [
        {},
        [
          ['missing_field', 'is missing', 'deal_id'],
          ['missing_field', 'is missing', 'num_bought'],
        ],
      ],
      [{ deal_id: 'lunch' }, [['missing_field', 'is missing', 'num_bought']]],
      [
        { deal_id: '', num_bought: '' },
        [
          ['missing_field', 'is missing', 'deal_id'],
          ['missing_field', 'is missing', 'num_bought'],
        ],
      ],
      [{ deal_id: ['lunch'], num_bought: 1 }, [['invalid', 'must be text', 'deal_id']]],
      [{ deal_id: ['lunch', 'lunch'], num_bought: 1 }, [['invalid', 'must be text', 'deal_id', TWICE]]],
      [{ deal_id: { a: 1 }, num_bought: 1 }, [['invalid', 'must be text', 'deal_id']]],
      [{ deal_id: true, num_bought: 1 }, [['invalid', 'must be text', 'deal_id']]],
      [
        { deal_id: null, num_bought: null },
        [
          ['invalid', 'must be text', 'deal_id'],
          ['invalid', 'must be an integer', 'num_bought'],
        ],
      ],
      [{ deal_id: 'lunch', num_bought: 1.5 }, [['invalid', 'must be an integer', 'num_bought']]],
      [{ deal_id: 'lunch', num_bought: '1.5' }, [['invalid', 'must be an integer', 'num_bought']]],
      [{ deal_id: 'lunch', num_bought: 'two' }, [['invalid', 'must be an integer', 'num_bought']]],
      [{ deal_id: 'lunch', num_bought: ' 2' }, [['invalid', 'must be an integer', 'num_bought']]],
      [{ deal_id: 'lunch', num_bought: '0x2' }, [['invalid', 'must be an integer', 'num_bought']]],
      [{ deal_id: 'lunch', num_bought: '99999999999999999999' }, [['invalid', 'must be an integer', 'num_bought']]],
      [{ deal_id: 'lunch', num_bought: 1e300 }, [['invalid', 'must be an integer', 'num_bought']]],
      [{ deal_id: 'lunch', num_bought: [1] }, [['invalid', 'must be an integer', 'num_bought']]],
      [{ deal_id: 'lunch', num_bought: { valueOf: 1 } }, [['invalid', 'must be an integer', 'num_bought']]],
      [{ deal_id: 'lunch', num_bought: true }, [['invalid', 'must be an integer', 'num_bought']]],
    ] as readonly (readonly [object, readonly Fault[]])[])(
      '7.1.5, 7.2.3, A2, 7.1, 7.2, A8: %j is refused with the names of the parameters',
      async (body, entries) => {
        const answer = await reserves(body);
        expect([answer.status, answer.text]).toEqual([422, faults(...entries)]);
      },
    );

    it('A2: must come in an object; null means none, and JavaScript’s own names are ordinary names', async () => {
      const both = faults(['missing_field', 'is missing', 'deal_id'], ['missing_field', 'is missing', 'num_bought']);
      for (const body of ['[]', '[{"deal_id":"lunch","num_bought":1}]', '1', '"text"', 'true']) {
        const answer = await reserves(body);
        expect([body, answer.status, answer.body]).toEqual([
          body,
          422,
          { status: 'error', error_type: 'validation_failed', error_msg: 'the body must be a JSON object' },
        ]);
      }
      for (const body of [
        'null',
        '{"__proto__":{"deal_id":"lunch","num_bought":1}}',
        '{"constructor":{"prototype":{"deal_id":"lunch"}}}',
      ]) {
        const answer = await reserves(body);
        expect([body, answer.status, answer.text]).toEqual([body, 422, both]);
      }
      expect(
        (await reserves('{"deal_id":"lunch","num_bought":1,"__proto__":{"api_key":"x"},"toString":1}')).status,
      ).toBe(200);
    });
  });

  describe('error answers', () => {
    it('A8, 7.1: malformed JSON is 400', async () => {
      for (const [body, place] of [
        ['{', ' at line 1, column 2'],
        ['[1', ' at line 1, column 3'],
        ['{"deal_id":}', ' at line 1, column 12'],
        ['deal_id=lunch', ' at line 1, column 1'],
        ['\u0000', ' at line 1, column 1'],
        ['{"a":1}x', ' at line 1, column 8'],
        ['{\n  "deal_id": "lunch",\n  "num_bought": 1,\n}', ' at line 4, column 1'],
        [`{"number": 4242424242424242x${' '.repeat(5_000)}}`, ' at line 1, column 28'],
        [`{"number": ${' '.repeat(5_000)}x}`, ''],
      ] as const) {
        const answer = await reserves(body);
        expect([answer.status, answer.text]).toEqual([
          400,
          `{"status":"error","error_type":"validation_failed","error_msg":"malformed JSON${place}"}`,
        ]);
      }
      const deep = `{"deal_id":"lunch","num_bought":1,"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
      expect((await reserves(deep)).status).toBe(400);
      const levels = (n: number): string => `{"deal_id":"lunch","num_bought":1,"x":${'['.repeat(n)}${']'.repeat(n)}}`;
      expect([(await reserves(levels(63))).status, (await reserves(levels(64))).status]).toEqual([200, 400]);
    });

    it('JSON sent as a form, as curl does by default, is refused with the content type to send', async () => {
      for (const body of ['{"deal_id":"lunch","num_bought":1}', ' \n{ "deal_id": "lunch" ', '{}']) {
        const answer = await ask('POST', '/purchases/reserve', { body, headers: FORM });
        expect([answer.status, answer.body]).toEqual([
          415,
          {
            status: 'error',
            error_type: 'validation_failed',
            error_msg: 'the body looks like JSON, but is sent as a form: send it with content-type: application/json',
          },
        ]);
      }
    });

    it('A8, 7.1: a form or query string with any malformed part is 400, and has no effect', async () => {
      const many = Array.from({ length: 2001 }, (_, n) => `p${n}=1`).join('&');
      const levels = `x${'[a]'.repeat(64)}=1`;
      for (const [broken, why] of [
        ['deal_id=%', 'a % that is not followed by UTF-8'],
        ['deal_id=%ff', 'a % that is not followed by UTF-8'],
        [levels, 'at most 2000 parameters, in 64 levels'],
      ] as const) {
        for (const [what, answer] of [
          [
            'form',
            await ask('POST', '/purchases/reserve', { body: `num_bought=1&deal_id=lunch&${broken}`, headers: FORM }),
          ],
          ['query string', await ask('POST', `/purchases/reserve?num_bought=1&deal_id=lunch&${broken}`)],
        ] as const) {
          expect([answer.status, answer.text]).toEqual([
            400,
            `{"status":"error","error_type":"validation_failed","error_msg":"malformed ${what}: ${why}"}`,
          ]);
          expect(answer.headers['request-id']).toBeDefined();
        }
      }
      expect((await ask('POST', '/users', { body: many, headers: FORM })).status).toBe(400);
      const large = await ask('POST', '/users', { body: `email=a@b.co&pad=${'x'.repeat(1_100_000)}`, headers: FORM });
      expect([large.status, large.body.error_type]).toEqual([413, 'validation_failed']);
    });

    it('7.1.1, A8, 7.1: an unknown id in a path, an unknown deal in a body and an unknown path are 404 find_failed', async () => {
      expect((await ask('GET', '/purchases/x')).text).toBe(NO_PURCHASE);
      expect((await reserves({ deal_id: 'nothing', num_bought: 1 })).text).toBe(NO_DEAL);
      for (const deal_id of ['__proto__', 'constructor', 'lunch\u0000', '\ud800', 'x'.repeat(60_000), '../lunch']) {
        const answer = await reserves({ deal_id, num_bought: 1 });
        expect([answer.status, answer.text]).toEqual([404, NO_DEAL]);
      }
      expect((await ask('GET', '/nothing')).text).toBe(NOWHERE);
    });

    it('A8: another content type is refused with a message of ours', async () => {
      for (const type of [
        'application/xml',
        'text/plain',
        'multipart/form-data; boundary=x',
        'application/jsonp',
        'x',
      ]) {
        const answer = await ask('POST', '/users', { body: 'email=a@b.co', headers: { 'content-type': type } });
        expect([type, answer.status, answer.text]).toEqual([
          type,
          415,
          '{"status":"error","error_type":"validation_failed","error_msg":"send parameters as application/json or as application/x-www-form-urlencoded"}',
        ]);
      }
      const fits = JSON.stringify({ deal_id: 'lunch', num_bought: 1, pad: 'x'.repeat(65_000) });
      expect((await reserves(fits)).status).toBe(200);
    });

    it('A8: success is 200, even for POST', async () => {
      expect((await ask('POST', '/users', { body: { email: 'post@example.com' } })).status).toBe(200);
      const made = await ask('POST', '/operators/partners', {
        key: undefined,
        token: service.operatorToken,
        body: { name: 'P', slug: 'p' },
      });
      expect(made.status).toBe(200);
    });

    it('A8: every answer has a Request-Id of its own', async () => {
      const answers = [
        await ask('GET', '/deals'),
        await ask('GET', '/deals', { key: 'wrong' }),
        await ask('GET', '/nothing'),
        await ask('GET', '/deals/%'),
        await ask('GET', `/users/${'x'.repeat(8000)}`),
        await reserves('{'),
        await reserves({}),
        await ask('POST', '/users', { body: 'a=b', headers: FORM }),
        await ask('GET', '/health/live', { key: undefined }),
        await ask('GET', '/operators/clock', { key: undefined }),
      ];
      const ids = answers.map(({ headers }) => headers['request-id']);
      expect(ids.every((id) => id !== undefined && id.length >= 16)).toBe(true);
      expect(new Set(ids).size).toBe(ids.length);
    });

    it('A8: no input causes a server error', async () => {
      const odd = [
        '\u0000',
        '\ud800',
        '😀',
        '__proto__',
        'constructor',
        '-1',
        '1e400',
        ' ',
        "'; DROP TABLE rows; --",
        '%',
        '../..',
        'x'.repeat(7000),
      ];
      const statuses = new Set<number>();
      for (const each of odd) {
        const part = encodeURIComponent(each.isWellFormed() ? each : 'x');
        const values: readonly unknown[] = [each, [each], { [each]: each }, [[each]]];
        const answers = await Promise.all([
          ...values.flatMap((value) => [
            reserves({ deal_id: value, num_bought: value }),
            ask('POST', '/users', { body: { email: value, first_name: value, partner_data: value, credits: value } }),
            ask('PUT', `/purchases/${part}/claim`, { body: { user_id: value } }),
            ask('GET', '/deals', { body: { region: value, state: value, page: value } }),
            ask('PUT', `/operators/deals/${part}`, {
              key: undefined,
              token: service.operatorToken,
              body: { title: value, locations: value, custom_data: value, tags: value, image: value, start_at: value },
            }),
            ask('PUT', `/operators/regions/${part}`, {
              key: undefined,
              token: service.operatorToken,
              body: { name: value, time_zone: value },
            }),
            ask('POST', '/operators/tokens', {
              key: undefined,
              token: service.operatorToken,
              body: { name: value, role: value },
            }),
            ask('PUT', '/operators/clock', { key: undefined, token: service.operatorToken, body: { now: value } }),
          ]),
          ask('GET', `/users/${part}`),
          ask('GET', `/users/${part}/coupons?filter=${part}`),
          ask('GET', `/deals?${part}=${part}`),
          ask('PUT', `/coupons/${part}/redeem`),
          ask('GET', `/coupons/${part}/${part}/qr.png`),
          ask('GET', `/auditors/purchases/${part}/history`, { key: undefined, token: service.auditorToken }),
          ask('DELETE', `/operators/tokens/${part}`, { key: undefined, token: service.operatorToken }),
          ask('DELETE', `/operators/partners/${acme.id}/keys/${part}`, {
            key: undefined,
            token: service.operatorToken,
          }),
          ask('POST', `/operators/partners/${part}/keys`, { key: undefined, token: service.operatorToken }),
          ask('POST', `/operators/deals/${part}/transitions`, {
            key: undefined,
            token: service.operatorToken,
            body: { to: each },
          }),
        ]);
        for (const { status } of answers) statuses.add(status);
      }
      expect([...statuses].filter((status) => status >= 500)).toEqual([]);
      expect(service.printed).not.toContain('a call failed');
    });
  });
});
