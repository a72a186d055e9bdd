import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { entranceOf } from '../../test/support/entrance.js';
import { HEADERS } from '#kernel/bounds';
import { PATIENT } from '../../test/support/patient-fastify.js';

const CALLER = { kind: 'partner', id: 'p1', name: 'acme', credential: 'k1' } as const;
const token = { id: 't2', user_id: 'u1', scope: ['all'], access: ['read'] } as const;
const USER = { ...CALLER, credential: 't2', token } as const;
const OPERATOR = { kind: 'operator', role: 'operator', id: 't1', name: 'ops', credential: 't1' } as const;

describe('A4: a credential', () => {
  let server: FastifyInstance;
  const asked: string[] = [];

  beforeAll(async () => {
    server = fastify(PATIENT);
    const paths = { '/keys': 'partner', '/names': 'partner-v3', '/tokens': 'operator' } as const;
    await entranceOf(server, {
      routes: Object.entries(paths).map(([path, access]) => ({
        method: 'GET',
        path,
        access,
        tokens: { kind: 'tokens', scope: 'deal', owners: {} },
      })),
      // Every credential is valid; `asked` has those that were looked up.
      partner: (apiKey) => Promise.resolve((asked.push(apiKey), CALLER)),
      partnerV3: (_, password) => Promise.resolve((asked.push(password), CALLER)),
      userToken: (token) => Promise.resolve((asked.push(token), USER)),
      operator: (token) => Promise.resolve((asked.push(token), OPERATOR)),
    });
    for (const path of Object.keys(paths)) server.get(path, () => 'in');
    await server.ready();
  });
  afterAll(() => server.close());

  const basic = (length: number): string =>
    `Basic ${Buffer.from(`a:${'x'.repeat(2_000)}`).toString('base64')}`.slice(0, length);
  const most = HEADERS.Authorization;
  it.each([
    ['/keys', 'x-api-key', (length: number) => 'x'.repeat(length), HEADERS['X-Api-Key']],
    ['/keys?api_key=', 'accept', () => '*/*', HEADERS['X-Api-Key']],
    ['/keys?access_token=', 'accept', () => '*/*', HEADERS['X-Api-Key']],
    ['/keys', 'authorization', (length: number) => `Bearer ${'x'.repeat(length)}`, HEADERS['X-Api-Key']],
    ['/tokens', 'authorization', (length: number) => `Bearer ${'x'.repeat(length - 7)}`, most],
    ['/names', 'authorization', basic, most],
  ] as const)('%s %s: longer than its bound is 401 without a look-up', async (path, name, of, bound) => {
    const ask = (length: number): Promise<number> =>
      server
        .inject({
          method: 'GET',
          url: path.endsWith('=') ? `${path}${'x'.repeat(length)}` : path,
          headers: { [name]: of(length) },
        })
        .then(({ statusCode }) => statusCode);
    asked.length = 0;
    expect([await ask(bound), asked.length]).toEqual([200, 1]);
    expect([await ask(bound + 1), asked.length]).toEqual([401, 1]);
  });
});
