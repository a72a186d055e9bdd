import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { thisMachine } from '#adapters/machine';
import { entranceOf } from '../../../test/support/entrance.js';
import { anonymousLogLimit } from '../request-log.js';
import { Proxies } from '../proxies.js';
import { PATIENT } from '../../../test/support/patient-fastify.js';
import { Listeners } from './listeners.js';

const { time } = thisMachine;
const log = pino({ enabled: false });
const early = { log, anonymous: anonymousLogLimit(log, time), figures: undefined, newId: () => 'id', time };
const AUDITOR = { kind: 'operator', role: 'auditor', id: 'a', name: 'ann', credential: 'a' } as const;

describe('G11.2: a call for those who watch the service', () => {
  let server: FastifyInstance;
  let admin: Server | undefined;
  let listeners: Listeners;

  async function listen(isApart: boolean): Promise<void> {
    server = fastify({ ...PATIENT, rewriteUrl: (request) => listeners.pathOf(request as never) });
    admin = isApart ? createServer() : undefined;
    const proxies = new Proxies();
    listeners = new Listeners(server, admin, { proxies, time, early });
    await entranceOf(server, {
      listeners,
      proxies,
      routes: [{ method: 'GET', path: '/metrics', access: 'watcher' }],
      monitor: async (token) => (token === 'right' ? AUDITOR : undefined),
    });
    server.get('/metrics', async ({ call }) => ({ at: call.at, by: call.caller.kind }));
    await server.listen({ port: 0, host: '127.0.0.1' });
    if (admin !== undefined) await new Promise<void>((resolve) => admin?.listen(0, '127.0.0.1', resolve));
  }
  afterEach(() => server.close());

  async function ask(at: Server | undefined, token?: string): Promise<readonly [number, unknown]> {
    const { port } = at?.address() as AddressInfo;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers });
    return [answer.status, answer.status === 200 ? await answer.json() : undefined];
  }

  it('needs a token of an operator or auditor at the only address', async () => {
    await listen(false);
    expect([await ask(server.server), await ask(server.server, 'wrong'), await ask(server.server, 'right')]).toEqual([
      [401, undefined],
      [401, undefined],
      [200, { at: 'only', by: 'operator' }],
    ]);
  });

  it('needs none at the admin address, where a wrong one is refused, and is unknown at the public one', async () => {
    await listen(true);
    expect([await ask(admin), await ask(admin, 'wrong'), await ask(admin, 'right')]).toEqual([
      [200, { at: 'admin', by: 'nobody' }],
      [401, undefined],
      [200, { at: 'admin', by: 'operator' }],
    ]);
    expect([await ask(server.server), await ask(server.server, 'right')]).toEqual([
      [404, undefined],
      [404, undefined],
    ]);
  });
});
