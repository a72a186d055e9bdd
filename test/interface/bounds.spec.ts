import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DocumentedService } from '../support/documented-service.js';
import { referred } from '../support/json-schema.js';
import type { Answer, Json } from '../support/running-service.js';

/** The most bytes in the answer to a refused request. */
const SHORT = 32_000;

/** Every input has a bound that callers can read; the service refuses what is beyond it by name, at little cost. */
describe('bounds', () => {
  let documented: DocumentedService;
  let key: string;
  let user: string;
  let token: string;

  beforeAll(async () => {
    documented = await DocumentedService.start();
    ({ key } = documented.world.acme);
    token = documented.service.operatorToken;
    user = await documented.world.user();
  });
  afterAll(() => documented.service.discard());

  const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
    documented.service.ask(method, path, path.startsWith('/operators') ? { token, body } : { key, body });
  const faultOf = ({ status, body }: Answer): unknown => [
    status,
    ((body.errors ?? []) as Json[]).map(({ field, message }) => [field, message]),
  ];

  it('are in the document for every text, list, number and object that callers can send', () => {
    const unbounded: string[] = [];
    const look = (schema: Json, place: string): void => {
      const at = schema.$ref === undefined ? schema : referred(schema.$ref as string, documented.document);
      const has = (...names: string[]): boolean => names.every((name) => name in at);
      for (const each of (at.anyOf ?? []) as Json[]) look(each, place);
      const types: string[] = [at.type ?? []].flat();
      const fixed = 'enum' in at || 'const' in at;
      if (types.includes('string') && !fixed && !has('maxLength')) unbounded.push(`${place}: text`);
      if (types.includes('integer') && !fixed && !has('minimum', 'maximum')) unbounded.push(`${place}: integer`);
      if (types.includes('number') && !fixed && !has('minimum', 'maximum')) unbounded.push(`${place}: number`);
      if (types.includes('array') && !has('maxItems')) unbounded.push(`${place}: list`);
      if (types.includes('object') && at.additionalProperties !== false && !has('maxProperties'))
        unbounded.push(`${place}: object`);
      if (types.length === 0 && !('anyOf' in at) && !fixed) unbounded.push(`${place}: anything`);
      if (at.items !== undefined) look(at.items, `${place}[]`);
      for (const [name, each] of Object.entries<Json>((at.properties ?? {}) as object)) look(each, `${place}.${name}`);
    };
    let looked = 0;
    for (const [route, operation] of documented.operations) {
      for (const given of operation.parameters as Json[]) {
        const parameter = given.$ref === undefined ? given : referred(given.$ref as string, documented.document);
        look(parameter.schema, `${route} ${parameter.in as string} ${parameter.name as string}`);
        looked += 1;
      }
      for (const [type, { schema }] of Object.entries<Json>((operation.requestBody?.content ?? {}) as object)) {
        // The number of lines has no limit: each line has one, and the description says so.
        if (type !== 'application/x-ndjson') look(schema, `${route} ${type}`);
        expect(operation.requestBody.description).toMatch(/at most \d+ bytes/i);
        looked += 1;
      }
    }
    expect(unbounded).toEqual([]);
    expect(looked).toBeGreaterThan(200);
  });

  it('of lists are checked before their elements: many commas give one fault, not one each', async () => {
    const commas = ','.repeat(60_000);
    for (const path of [`/users/${user}/coupons`, '/regions/testland/deals']) {
      const answer = await ask('GET', path, { filter: commas });
      expect(faultOf(answer)).toEqual([422, [['filter', 'must have at most 20 elements']]]);
      const inQuery = await ask('GET', `${path}?filter=${','.repeat(15_000)}`);
      expect([inQuery.status, inQuery.text.length < SHORT]).toEqual([422, true]);
    }
    const suppliers = Array.from({ length: 101 }, (_, n) => `s-${n}`);
    const listed = await ask('GET', '/deals', { suppliers });
    expect([listed.status, listed.body.error_msg]).toEqual([404, 'suppliers must have at most 100 elements']);
    expect((await ask('GET', '/deals', { suppliers: suppliers.slice(1) })).status).toBe(200);
  });

  it('of an error answer: it lists at most 100 faults, says that there are more, and cuts long names', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`unknown_${n}`, n]));
    const answer = await ask('PUT', '/operators/deals/lunch', many);
    expect([answer.status, answer.body.errors.length]).toEqual([422, 101]);
    expect(answer.body.errors[99]).toMatchObject({ field: 'unknown_99', message: 'is not an attribute' });
    expect(answer.body.errors[100]).toEqual({
      type: 'invalid',
      message: 'more than 100 faults; these are the first',
      resource: 'deal',
    });
    const long = await ask('PUT', '/operators/deals/lunch', { ['n'.repeat(50_000)]: 1 });
    expect(faultOf(long)).toEqual([422, [[`${'n'.repeat(100)}…`, 'is not an attribute']]]);
    const strict = await ask('GET', '/deals', { ['n'.repeat(50_000)]: 1 });
    expect([strict.status, strict.text.length < SHORT]).toEqual([404, true]);
  });

  it.each<readonly [string, string, string, Json, string, string]>([
    ['a name', 'POST', '/users', { first_name: 'x'.repeat(256) }, 'first_name', 'must have at most 255 characters'],
    ['a ZIP', 'POST', '/users', { postal_code: '0'.repeat(50_000) }, 'postal_code', 'must have at most 20 characters'],
    ['a token', 'POST', '/users', { token: 'x'.repeat(1_001) }, 'token', 'must have at most 1000 characters'],
    [
      'a control character',
      'POST',
      '/users',
      { last_name: 'a\u0007b' },
      'last_name',
      'must have no control characters',
    ],
    ['a line break', 'POST', '/users', { source: 'a\nb' }, 'source', 'must have no control characters'],
    ['half a surrogate pair', 'POST', '/users', { source: '\ud800' }, 'source', 'must have no control characters'],
    [
      'an operator’s name',
      'POST',
      '/operators/tokens',
      { name: 'ann\u001b[2J', role: 'auditor' },
      'name',
      'must have no control characters',
    ],
    [
      'a partner’s name',
      'POST',
      '/operators/partners',
      { name: 'x'.repeat(256), slug: 'long' },
      'name',
      'must have at most 255 characters',
    ],
    [
      'a text',
      'PUT',
      '/operators/deals/lunch',
      { description1: 'x'.repeat(20_001) },
      'description1',
      'must have at most 20000 characters',
    ],
    ['tags', 'PUT', '/operators/deals/lunch', { tags: Array(101).fill('x') }, 'tags', 'must have at most 100 elements'],
    ['a tag', 'PUT', '/operators/deals/lunch', { tags: ['x'.repeat(256)] }, 'tags', 'must have at most 255 characters'],
    [
      'places',
      'PUT',
      '/operators/deals/lunch',
      { locations: Array(1_001).fill({}) },
      'locations',
      'must have at most 1000 elements',
    ],
    [
      'codes',
      'PUT',
      '/operators/deals/lunch',
      { redemption_code_pool: ','.repeat(10_000) },
      'redemption_code_pool',
      'must have at most 10000 elements',
    ],
    [
      'values',
      'PUT',
      '/operators/deals/lunch',
      { custom_data: { list: Array(1_000).fill(1) } },
      'custom_data',
      'must have at most 1000 values in 16 levels',
    ],
    [
      'names',
      'PUT',
      '/operators/deals/lunch',
      { custom_data: { ['n'.repeat(256)]: 1 } },
      'custom_data',
      'must have names of at most 255 characters',
    ],
    [
      'bytes',
      'PUT',
      '/operators/deals/lunch',
      { custom_data: { a: 'é'.repeat(40_000) } },
      'custom_data',
      'must have at most 65536 bytes as JSON',
    ],
  ])('of %s: an error names the field', async (_, method, path, given, field, message) => {
    const email = documented.world.email();
    const answer = await ask(method, path, path === '/users' ? { email, ...given } : given);
    expect(faultOf(answer)).toEqual([422, [[field, message]]]);
  });

  it('of a partner’s own object: its levels, and the lists in it that the service later looks users up by', async () => {
    const email = documented.world.email();
    const nested = (levels: number): Json => (levels === 0 ? {} : { a: nested(levels - 1) });
    const refused = await ask('POST', '/users', { email, partner_data: nested(17) });
    expect(faultOf(refused)).toEqual([422, [['partner_data', 'must have at most 1000 values in 16 levels']]]);
    const preferred_categories = Array.from({ length: 20_000 }, (_, n) => `${n}`);
    const listed = await ask('POST', '/users', { email, partner_data: { preferred_categories } });
    expect(faultOf(listed)).toEqual([422, [['partner_data', 'must have at most 1000 values in 16 levels']]]);
    const partner_data = { ...nested(15), preferred_categories: preferred_categories.slice(0, 900) };
    const { user_id } = (await ask('POST', '/users', { email, partner_data })).body;
    expect((await ask('GET', `/regions/testland/deals?user_id=${user_id as string}`)).status).toBe(200);
  });

  it('A8: the service refuses a request within all bounds that is still too large to store, and goes on with others', async () => {
    const place = { address: { latitude: 1, longitude: 1 }, hours: 'x'.repeat(1_000) };
    const [large, small] = await Promise.all([
      ask('PUT', '/operators/deals/lunch', { locations: Array(600).fill(place) }),
      ask('PUT', '/operators/deals/lunch', { title: 'Lunch' }),
    ]);
    expect([large.status, large.text]).toEqual([
      413,
      '{"status":"error","error_type":"validation_failed","error_msg":"more than the 524288 bytes that can be stored at once"}',
    ]);
    expect(small.status).toBe(200);
    expect((await ask('PUT', '/operators/deals/lunch', { locations: [place] })).status).toBe(200);
  });

  it('leave room for normal values: line breaks in descriptions, any script, and the maximum of each', async () => {
    const email = documented.world.email();
    const user = { email, first_name: 'Žofie 😀 محمد', last_name: 'é'.repeat(255), token: 't'.repeat(1_000) };
    expect((await ask('POST', '/users', user)).status).toBe(200);
    const deal = { description1: 'a\r\n\tb\n'.repeat(3_000), tags: Array(100).fill('x'.repeat(255)) };
    expect((await ask('PUT', '/operators/deals/lunch', deal)).status).toBe(200);
    const reason = { reason: 'so\nit is' };
    const { id } = await documented.world.coupon();
    expect((await ask('POST', `/operators/coupons/${id}/cancel`, reason)).status).toBe(200);
  });
});
