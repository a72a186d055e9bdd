import { setTimeout as pause } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { BullMqTimers } from '#adapters/bullmq';
import { Proxies, type Caller } from '#http';
import { Browser } from '../../../test/support/browser.js';
import { entranceOf } from '../../../test/support/entrance.js';
import { itInBrowser } from '../../../test/support/in-browser.js';
import { REDIS, REDIS_SHOWN, TestRedis } from '../../../test/support/redis.js';
import { PATIENT } from '../../../test/support/patient-fastify.js';
import { mountQueueBoard } from './board.js';

const SCREEN = { width: 1280, height: 1000, scale: 1, media: 'screen' } as const;
const PROXY = '10.0.0.1';
const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

(REDIS === 'none' ? describe.skip : describe)(`the board of the queues, on ${REDIS_SHOWN}`, () => {
  let redis: TestRedis;
  let timers: BullMqTimers;
  let server: FastifyInstance;
  let url: string;

  beforeAll(async () => {
    redis = await TestRedis.start();
    timers = await BullMqTimers.open({
      url: redis.url,
      prefix: redis.prefix,
      clock: { now: () => Date.now() },
      lists: ['hold-expiry', 'open-checkouts'],
      onError: () => undefined,
      away: () => undefined,
      warn: () => undefined,
    });
    timers.noticed('hold-expiry', [{ key: 'inventory-x>reservation-y', dueAt: Date.now() + 300_000 }]);
    // A row gets its job only if it is still there a moment later.
    while ((await timers.queues[0]?.getJobCounts())?.delayed !== 1) await pause(20);
    const proxies = new Proxies([PROXY]);
    // The same server as in createHttpApp.
    server = fastify({ ...PATIENT, routerOptions: { querystringParser: () => ({}) }, forceCloseConnections: true });
    const accessCheck = await entranceOf(server, { proxies, limit: { requests: 40, seconds: 60 } });
    const role = (of: 'operator' | 'auditor'): Extract<Caller, { kind: 'operator' }> => ({
      kind: 'operator',
      role: of,
      id: of,
      name: of,
      credential: of,
    });
    const operator = async (token: string): Promise<ReturnType<typeof role> | undefined> =>
      token === 'open:sesame' ? role('operator') : token === 'auditors' ? role('auditor') : undefined;
    mountQueueBoard(server, { queues: timers.queues, operator, accessCheck });
    await server.listen({ port: 0, host: '127.0.0.1' });
    url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await server.close();
    await timers.close();
    await redis.end();
  });

  const ask = (path: string, authorization?: string, method = 'GET'): Promise<Response> =>
    fetch(`${url}${path}`, { method, headers: authorization === undefined ? {} : { authorization } });
  const OPERATOR = 'Bearer open:sesame';

  it('G1 A8: shows nothing to unknown callers, and asks a browser for the password', async () => {
    for (const path of [
      '/operators/queues',
      '/operators/queues/',
      '/operators/queues/api/queues',
      '/operators/queues/static/favicon.ico',
    ]) {
      for (const sent of [undefined, 'Bearer wrong', basic('ann', 'wrong'), basic('open', ''), 'Basic', 'Digest x']) {
        const answer = await ask(path, sent);
        expect([path, sent, answer.status]).toEqual([path, sent, 401]);
        expect(answer.headers.get('www-authenticate')).toBe('Basic realm="Holdfast"');
        expect(await answer.json()).toMatchObject({ status: 'error', error_type: 'auth_failed' });
      }
    }
  });

  it('G1: lets auditors read', async () => {
    for (const sent of ['Bearer auditors', basic('ann', 'auditors')]) {
      const answer = await ask('/operators/queues/api/queues', sent);
      expect([answer.status, await answer.json()]).toMatchObject([200, { queues: expect.any(Array) }]);
    }
  });

  it('A3: asks for HTTPS before it asks for a token', async () => {
    const far = { remoteAddress: '192.0.2.1', url: '/operators/queues', headers: { authorization: OPERATOR } };
    const answer = await server.inject(far);
    expect([answer.statusCode, answer.json().error_type]).toEqual([403, 'https_required']);
    const proxied = { ...far, remoteAddress: PROXY, headers: { ...far.headers, 'x-forwarded-proto': 'https' } };
    expect((await server.inject(proxied)).statusCode).toBe(200);
  });

  it('shows an operator the page, which loads only its own files', async () => {
    for (const sent of [OPERATOR, basic('ann', 'open:sesame'), basic('', 'open:sesame')]) {
      const page = await ask('/operators/queues', sent);
      expect(page.status).toBe(200);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
      const text = await page.text();
      expect(text).toContain('<base href="/operators/queues/"');
      const files = [...text.matchAll(/(?:src|href)="([^"]*)"/g)]
        .map(([, name = '']) => name)
        .filter((n) => !n.startsWith('/'));
      expect(files.length).toBeGreaterThan(3);
      for (const file of files) {
        expect(file).toMatch(/^static\/[\w./-]+$/);
        expect([file, (await ask(`/operators/queues/${file}`, sent)).status]).toEqual([file, 200]);
      }
    }
  });

  it('shows the jobs of each list, with list and key and no other data of the row', async () => {
    const answer = await ask(
      '/operators/queues/api/queues?activeQueue=hold-expiry&status=delayed&page=1&jobsPerPage=10',
      OPERATOR,
    );
    const { queues } = (await answer.json()) as {
      queues: { name: string; counts: object; jobs: { id: string; data: unknown }[] }[];
    };
    expect(queues).toMatchObject([
      {
        name: 'hold-expiry',
        counts: { delayed: 1 },
        jobs: [
          {
            id: 'hold-expiry-inventory-x%3Ereservation-y',
            data: { list: 'hold-expiry', key: 'inventory-x>reservation-y' },
          },
        ],
      },
      { name: 'open-checkouts', counts: { delayed: 0 } },
    ]);
  });

  it('is read-only, because a browser sends the password by itself', async () => {
    const queue = '/operators/queues/api/queues/hold-expiry';
    const job = `${queue}/${encodeURIComponent('hold-expiry-inventory-x%3Ereservation-y')}`;
    for (const path of [
      `${job}/promote`,
      `${job}/clean`,
      `${queue}/pause`,
      `${queue}/empty`,
      `${queue}/obliterate`,
      `${queue}/promote`,
    ]) {
      const { status } = await ask(path, OPERATOR, 'PUT');
      expect([path, status]).toEqual([path, 405]);
    }
    expect(await timers.queues[0]?.getJobCounts()).toMatchObject({ delayed: 1 });
    expect(await timers.queues[0]?.isPaused()).toBe(false);
  });

  itInBrowser('opens in a browser, which loads only from the service', async () => {
    const browser = await Browser.start();
    try {
      // The browser saves the password as if it had been typed; the page's own address does not have it.
      await browser.open(`${url.replace('//', '//ann:open%3Asesame@')}/operators/queues`, SCREEN);
      await browser.open(`${url}/operators/queues`, SCREEN);
      const shown = (): Promise<string> => browser.ask('document.body.innerText');
      while (!(await shown()).includes('open-checkouts')) await new Promise((resolve) => setTimeout(resolve, 50));
      expect(await shown()).toContain('hold-expiry');
      expect(await browser.ask('document.title')).toContain('Holdfast');
      const elsewhere = browser.requested.filter((asked) => !/^(data:|http:\/\/([^/@]*@)?127\.0\.0\.1:)/.test(asked));
      expect(elsewhere).toEqual([]);
      expect(browser.complaints.filter((complaint) => !complaint.includes('401'))).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it('A8: makes callers who guess tokens wait', async () => {
    let status = 401;
    for (let tries = 0; tries < 60 && status === 401; tries += 1) {
      ({ status } = await ask('/operators/queues', `Bearer guess-${tries}`));
    }
    expect(status).toBe(429);
    expect((await ask('/operators/queues', OPERATOR)).status).toBe(200);
  });
});
