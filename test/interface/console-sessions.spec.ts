import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunningService, type Answer, type AskOptions } from '../support/running-service.js';

/** What a browser sends with a call of the console’s own page. */
const OWN = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'content-type': 'application/json' };

describe('the sessions of the console', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await RunningService.start();
  });
  afterAll(() => service.discard());

  const signIn = (token: string, headers: AskOptions['headers'] = {}): Promise<Answer> =>
    service.ask('POST', '/console/session', { token, body: {}, headers: { ...OWN, ...headers } });
  /** The cookie of a new session, as a browser sends it back. */
  const cookieOf = async (token: string): Promise<string> => {
    const answer = await signIn(token);
    expect(answer.status).toBe(200);
    return String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
  };
  const ask = (
    method: string,
    path: string,
    cookie: string,
    headers: Readonly<Record<string, string>> = OWN,
    body?: unknown,
  ): Promise<Answer> => service.ask(method, path, { body, headers: { ...headers, cookie } });

  it('G13.2: a token is typed once, and the cookie is for this host alone and for no script', async () => {
    const answer = await signIn(service.operatorToken);
    expect(answer.body).toEqual({ status: 'success', name: 'operator', role: 'operator', version: expect.any(String) });
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^holdfast-console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    expect(answer.text).not.toContain(service.operatorToken);
    const cookie = String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
    expect((await ask('GET', '/console/session', cookie)).body).toMatchObject({ name: 'operator', role: 'operator' });
    expect((await ask('GET', '/operators/partners', cookie)).status).toBe(200);
    expect((await ask('GET', '/health/ready', cookie)).body).toMatchObject({ initialized: true });
  });

  it('G13.2: under TLS, the browser keeps the cookie for HTTPS alone', async () => {
    const proxied = await RunningService.start({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
    try {
      const headers = { ...OWN, 'x-forwarded-proto': 'https' };
      const { token } = { token: proxied.operatorToken };
      const answer = await proxied.ask('POST', '/console/session', { token, body: {}, headers });
      const set = String(answer.headers['set-cookie']);
      expect(set).toMatch(/^__Host-holdfast-console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; .*; Secure$/);
      const [cookie = ''] = set.split(';', 1);
      const named = { plain: cookie.replace('__Host-', ''), secure: cookie };
      const look = (sent: string): Promise<Answer> =>
        proxied.ask('GET', '/operators/partners', { headers: { ...headers, cookie: sent } });
      expect([(await look(named.secure)).status, (await look(named.plain)).status]).toEqual([200, 401]);
    } finally {
      await proxied.discard();
    }
  });

  it('G13.2: a wrong token begins no session, and no address takes a token', async () => {
    const wrong = await signIn('x'.repeat(43));
    expect([wrong.status, wrong.headers['set-cookie']]).toEqual([401, undefined]);
    const { operatorToken } = service;
    for (const path of [`/console/session?token=${operatorToken}`, `/console/session?access_token=${operatorToken}`]) {
      const answer = await service.ask('POST', path, { headers: OWN, body: { token: operatorToken } });
      expect([answer.status, answer.headers['set-cookie']]).toEqual([401, undefined]);
    }
    expect(service.printed).not.toContain(operatorToken);
  });

  it('G13.2: sessions are kept as hashes that open nothing', async () => {
    const [, secret = ''] = (await cookieOf(service.auditorToken)).split('=');
    const kept = readFileSync(join(service.dataDir, 'state.db')).toString('latin1');
    const wal = readFileSync(join(service.dataDir, 'state.db-wal')).toString('latin1');
    expect(kept + wal).toContain('console sessions');
    expect(kept + wal).not.toContain(secret);
    expect(kept + wal).not.toContain(service.auditorToken);
    const [, hash = ''] = /"hash":"(\w+)"/.exec(kept + wal) ?? [];
    expect((await ask('GET', '/operators/partners', `holdfast-console=${hash}`)).status).toBe(401);
  });

  it('G13.2, G1: a session ends when somebody signs out, and with its token', async () => {
    const cookie = await cookieOf(service.operatorToken);
    const out = await ask('DELETE', '/console/session', cookie, OWN, {});
    expect([out.status, out.headers['set-cookie']]).toMatchObject([200, [expect.stringContaining('Max-Age=0')]]);
    expect((await ask('GET', '/operators/partners', cookie)).status).toBe(401);

    const { token, id } = await service.operate('POST', '/tokens', { name: 'grace', role: 'operator' });
    const hers = await cookieOf(token);
    expect((await ask('GET', '/console/session', hers)).body).toMatchObject({ name: 'grace' });
    await service.operate('DELETE', `/tokens/${id}`);
    expect((await ask('GET', '/operators/partners', hers)).status).toBe(401);
    expect((await ask('GET', '/console/session', hers)).body).toMatchObject({ name: null });
  });

  it('G13.2: a session ends half an hour after its last use, and twelve hours after its beginning', async () => {
    const idle = await cookieOf(service.operatorToken);
    const used = await cookieOf(service.operatorToken);
    const isLiving = async (cookie: string): Promise<boolean> =>
      (await ask('GET', '/operators/clock', cookie)).status === 200;
    await service.forward(29 * 60);
    expect(await isLiving(used)).toBe(true);
    await service.forward(2 * 60);
    expect([await isLiving(idle), await isLiving(used)]).toEqual([false, true]);
    for (let minutes = 31; minutes + 25 < 12 * 60; minutes += 25) {
      await service.forward(25 * 60);
      expect(await isLiving(used)).toBe(true);
    }
    await service.forward(25 * 60);
    expect(await isLiving(used)).toBe(false);
  });

  it('G13.2: one token has twenty sessions: the next one ends the one that was used least recently', async () => {
    const first = await cookieOf(service.auditorToken);
    await service.forward(61);
    const others: string[] = [];
    for (let count = 0; count < 20; count += 1) others.push(await cookieOf(service.auditorToken));
    expect((await ask('GET', '/operators/clock', first)).status).toBe(401);
    for (const cookie of others) expect((await ask('GET', '/operators/clock', cookie)).status).toBe(200);
  });

  it.each([
    ['another site', { ...OWN, 'sec-fetch-site': 'cross-site' }],
    ['another port of this machine', { ...OWN, 'sec-fetch-site': 'same-site' }],
    ['nobody who says where', { 'content-type': 'application/json' }],
    ['a page that was opened by hand, which can send no change', { ...OWN, 'sec-fetch-site': 'none' }],
    ['a host of somebody else', { ...OWN, host: 'rebound.example' }],
    ['a host that only begins like ours', { ...OWN, host: 'localhost.rebound.example' }],
  ])('G13.3: refuses calls of a session that come from %s', async (_, headers) => {
    const cookie = await cookieOf(service.operatorToken);
    const before = await service.operate('GET', '/partners');
    for (const [method, path, body] of [
      ['GET', '/operators/partners', undefined],
      ['GET', '/operators/purchases?format=csv', undefined],
      ['GET', '/console/live', undefined],
      ['GET', '/operators/queues', undefined],
      ['GET', '/health/ready', undefined],
      ['POST', '/operators/find', { q: 'x' }],
      ['POST', '/operators/partners', { name: 'Evil', slug: 'evil' }],
      ['DELETE', '/console/session', {}],
    ] as const) {
      const answer = await ask(method, path, cookie, headers, body);
      expect([method, path, answer.status, answer.body?.error_type]).toEqual([method, path, 403, 'auth_failed']);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
    expect(await service.operate('GET', '/partners')).toEqual(before);
    expect((await ask('GET', '/operators/partners', cookie)).status).toBe(200);
  });

  it('G13.3: nobody signs a browser in from another page', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const answer = await signIn(service.operatorToken, { 'sec-fetch-site': site });
      expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
    }
  });

  it('G13.3: an address that somebody opens by hand may read, and nothing more', async () => {
    const cookie = await cookieOf(service.operatorToken);
    const opened = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' };
    expect((await ask('GET', '/operators/queues', cookie, opened)).status).toBe(200);
    const change = await ask(
      'POST',
      '/operators/backup',
      cookie,
      { ...opened, 'content-type': 'application/json' },
      {},
    );
    expect(change.status).toBe(403);
  });

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'])(
    'G13.3: refuses a change as %s, which a form could send',
    async (type) => {
      const cookie = await cookieOf(service.operatorToken);
      const headers = { ...OWN, 'content-type': type };
      const answer = await ask('POST', '/operators/partners', cookie, headers, 'name=Evil&slug=evil');
      expect([answer.status, answer.body.error_type]).toEqual([415, 'validation_failed']);
    },
  );

  it('G13.3: a session is nothing to calls of partners', async () => {
    const cookie = await cookieOf(service.operatorToken);
    for (const path of ['/v1/deals', '/users', '/api/v3/deals', '/purchases/x']) {
      expect([path, (await ask('GET', path, cookie)).status]).toEqual([path, 401]);
    }
  });

  it('G1, G13.4: a session has the rights of its token, and its acts have its name', async () => {
    const auditor = await cookieOf(service.auditorToken);
    const refused = await ask('POST', '/operators/partners', auditor, OWN, { name: 'No', slug: 'no' });
    expect([refused.status, refused.body.error_type]).toEqual([403, 'auth_failed']);
    const { token } = await service.operate('POST', '/tokens', { name: 'ada', role: 'operator' });
    const cookie = await cookieOf(token);
    const { partner } = (await ask('POST', '/operators/partners', cookie, OWN, { name: 'Yes', slug: 'yes' })).body;
    const { events } = (await ask('GET', `/auditors/streams/partner-${partner.id}`, auditor)).body;
    expect(events[0].actor).toBe('operator:ada');
  });

  it('G13.5: the stream tells the state every second, and ends with the session', async () => {
    const cookie = await cookieOf(service.operatorToken);
    const texts: string[] = [];
    const ended = new Promise<void>((resolve, reject) => {
      const asked = request(`${service.url}/console/live`, { headers: { ...OWN, cookie } }, (response) => {
        const { statusCode, headers } = response;
        if (statusCode !== 200 || headers['content-type'] !== 'text/event-stream')
          reject(new Error(`${statusCode} ${headers['content-type']}`));
        response.setEncoding('utf8').on('data', (text: string) => texts.push(text));
        response.on('end', resolve);
      });
      asked.on('error', reject).end();
    });
    const values = (): readonly string[] => texts.join('').match(/^data: .*$/gm) ?? [];
    const firstThree = async (): Promise<void> => {
      while (values().length < 3) await new Promise((resolve) => setTimeout(resolve, 100));
    };
    await Promise.race([firstThree(), ended]);
    expect(JSON.parse(values()[2]?.slice('data: '.length) ?? '')).toMatchObject({ health: { ready: true } });
    await ask('DELETE', '/console/session', cookie, OWN, {});
    await ended;
  });

  it('G13.5: a session has six streams at most; another one is refused, and one that ends makes room', async () => {
    const cookie = await cookieOf(service.auditorToken);
    const open = (): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const asked = request(`${service.url}/console/live`, { headers: { ...OWN, cookie } }, resolve);
        asked.on('error', reject).end();
      });
    const streams = await Promise.all(Array.from({ length: 6 }, open));
    for (const stream of streams) stream.on('error', () => undefined).resume();
    expect(streams.map(({ statusCode }) => statusCode)).toEqual(Array(6).fill(200));
    const more = await open();
    expect([more.statusCode, more.headers['retry-after']]).toEqual([503, '5']);
    more.resume();
    streams[0]?.destroy();
    let isOpen = false;
    while (!isOpen) {
      const again = await open();
      isOpen = again.statusCode === 200;
      again.on('error', () => undefined).destroy();
    }
    for (const stream of streams) stream.destroy();
  });

  it('G13.5: a stop ends the streams at once, and waits for no open console', async () => {
    const other = await RunningService.start();
    const begun = await other.ask('POST', '/console/session', { token: other.operatorToken, body: {}, headers: OWN });
    const cookie = String(begun.headers['set-cookie']).split(';', 1)[0] ?? '';
    const ended = new Promise<void>((resolve, reject) => {
      const asked = request(`${other.url}/console/live`, { headers: { ...OWN, cookie } }, (response) => {
        response.once('data', () => void other.stop());
        response.on('data', () => undefined).on('end', resolve);
      });
      asked.on('error', reject).end();
    });
    await ended;
    await other.discard();
  });

  it('G13.1: the page runs its own script alone, and its files are small and never change', async () => {
    const page = await service.ask('GET', '/console');
    const deep = await service.ask('GET', '/console/purchases/0b6f');
    expect([deep.status, deep.text]).toEqual([page.status, page.text]);
    const policy = page.headers['content-security-policy'] ?? '';
    for (const part of ["default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'"])
      expect(policy).toContain(part);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const files = [...page.text.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, path = '']) => path);
    expect(files.length).toBeGreaterThanOrEqual(2);
    let bytes = gzipSync(page.bytes).length;
    for (const path of files) {
      const file = await service.ask('GET', path);
      expect([path, file.status, file.headers['cache-control']]).toEqual([
        path,
        200,
        'public, max-age=31536000, immutable',
      ]);
      bytes += gzipSync(file.bytes, { level: 9 }).length;
    }
    expect(bytes).toBeLessThanOrEqual(100_000);
    expect((await service.ask('GET', '/console/assets/..%2f..%2fpackage.json')).status).toBe(404);
  });

  it.each(['/', '/docs', '/deals/none/purchase', '/nowhere', '/console'])(
    'G13.1: no text becomes a script on the page of %s',
    async (path) => {
      const { headers } = await service.ask('GET', path, { headers: { accept: 'text/html' } });
      expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
    },
  );
});
