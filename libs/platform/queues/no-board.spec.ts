import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { Proxies } from '#http';
import { entranceOf } from '../../../test/support/entrance.js';
import { PATIENT } from '../../../test/support/patient-fastify.js';
import { mountNoBoard } from './no-board.js';

describe('the board of the queues, where there are none', () => {
  let server: FastifyInstance;

  beforeAll(async () => {
    // As createHttpApp makes its server.
    server = fastify({ ...PATIENT, routerOptions: { querystringParser: () => ({}) } });
    const accessCheck = await entranceOf(server, { proxies: new Proxies([]), limit: { requests: 40, seconds: 60 } });
    const operator = async (token: string): ReturnType<Parameters<typeof mountNoBoard>[1]['operator']> =>
      token === 'sesame' ? { kind: 'operator', role: 'auditor', id: 'a', name: 'a', credential: 'a' } : undefined;
    mountNoBoard(server, { operator, accessCheck });
    await server.ready();
  });
  afterAll(() => server.close());

  it.each(['/operators/queues', '/operators/queues/'])(
    '%s says what to set, to operators and auditors',
    async (url) => {
      const { statusCode, headers, body } = await server.inject({ url, headers: { authorization: 'Bearer sesame' } });
      expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'text/plain; charset=utf-8',
        'no-store',
      ]);
      expect(body).toContain('set REDIS_URL, such as redis://127.0.0.1:6379, and start the service again');
    },
  );

  it('G1 A8: shows nothing to who is not known, and asks a browser for the password', async () => {
    const { statusCode, headers, body } = await server.inject({ url: '/operators/queues' });
    expect([statusCode, headers['www-authenticate']]).toEqual([401, 'Basic realm="Holdfast"']);
    expect(body).not.toContain('REDIS_URL');
  });
});
