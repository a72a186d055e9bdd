import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Line } from '../support/line.js';
import { RunningService, type TestPartner } from '../support/running-service.js';

describe('connections', () => {
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

  describe('what Node itself refuses', () => {
    it.each([
      [400, 'GARBAGE\r\n\r\n'],
      [400, 'GET / HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n'],
      [431, `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
      [431, `GET /deals HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'x: y\r\n'.repeat(200)}\r\n`],
      [417, 'GET /deals HTTP/1.1\r\nHost: x\r\nExpect: a miracle\r\n\r\n'],
      [400, 'GET /health/live HTTP/1.1\r\n\r\n'],
      [400, 'GET /health/live HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
    ])('A8: %i has a Request-Id and the shape of every error', async (status, bytes) => {
      const [head = '', body = ''] = (await raw(bytes)).split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(head).toMatch(/\r\nrequest-id: \S{16,}/i);
      expect(JSON.parse(body)).toEqual({
        status: 'error',
        error_type: 'validation_failed',
        error_msg: expect.stringMatching(/./),
      });
    });

    it('A8: the service closes a connection without a request with 408', async () => {
      const [quiet, slow] = await Promise.all([Line.to(service), Line.to(service)]);
      const answers = await Promise.all([
        quiet.untilClosed(''),
        slow.untilClosed('GET /deals HTTP/1.1\r\nHost: x\r\n'),
      ]);
      for (const answer of answers) {
        expect(answer).toMatch(/^HTTP\/1\.1 408 /);
        expect(answer).toMatch(/\r\nrequest-id: \S{16,}/i);
      }
    });

    it('A8: a body that does not come is 408, and the connection of a refused one is closed', async () => {
      const head = (key: string, length: number): string =>
        `POST /users HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{`;
      const [answer, refused] = await Promise.all([raw(head(acme.key, 100)), raw(head('wrong', 100_000))]);
      expect(refused).toMatch(/^HTTP\/1\.1 401 [^]*connection: keep-alive/i);
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(answer).toContain('"error_type":"validation_failed"');
    });
  });

  it('A8: a refused body whose caller closes the connection afterwards resets nothing', async () => {
    const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1', allowHalfOpen: true });
    let error: Error | undefined;
    socket.on('error', (thrown) => (error = thrown));
    const head = ['POST /users HTTP/1.1', 'Host: x', 'X-Api-Key: wrong', 'Connection: close', 'Content-Length: 200000'];
    socket.write(`${head.join('\r\n')}\r\nContent-Type: application/json\r\n\r\n{`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
    for (let sent = 0; sent < 20; sent += 1) {
      socket.write('x'.repeat(5_000));
      await pause(5);
    }
    expect(error).toBeUndefined();
    socket.destroy();
  });

  it('A8: goes on when callers reset their connections, with and without a key', async () => {
    const port = Number(new URL(service.url).port);
    const request = (key: string): string => `GET /deals/lunch HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`;
    const resets = Array.from({ length: 400 }, async (_, nth) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      const closed = once(socket, 'close');
      await once(socket, 'connect');
      socket.write(request(nth % 2 === 0 ? acme.key : 'wrong'));
      // Some resets arrive together with their request: then it has no address any more.
      if (nth % 4 > 1) await new Promise((resolve) => setImmediate(resolve));
      socket.resetAndDestroy();
      await closed;
    });
    await Promise.all(resets);
    expect((await service.look('/deals/lunch', acme.key)).status).toBe(200);
  });

  it('A1: a request target with scheme and host means its path, in page addresses too', async () => {
    const head = `X-Api-Key: ${acme.key}\r\nHost: x\r\nConnection: close\r\n\r\n`;
    for (const path of ['/v1/deals?per_page=1&region=testland', '/api/v1/deals.json?per_page=1']) {
      const text = await raw(`GET http://elsewhere:1${path} HTTP/1.1\r\n${head}`);
      expect(text).toMatch(/^HTTP\/1\.1 200 /);
      expect(text).not.toContain('elsewhere');
    }
    await service.newDeal('dinner');
    await service.look('/deals/dinner', acme.key);
    const paged = await raw(`GET http://elsewhere/v1/deals?per_page=1 HTTP/1.1\r\n${head}`);
    expect(paged).toContain(`"next_page":"${service.url}/v1/deals?per_page=1&page=2"`);
    expect(await raw(`GET http://elsewhere HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('A8: a request target without a path is an unknown path', async () => {
    for (const [method, target] of [
      ['GET', '*'],
      ['HEAD', '*'],
      ['OPTIONS', '*'],
      ['GET', 'foo://x/deals'],
    ]) {
      const text = await raw(`${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect([target, text]).toEqual([target, expect.stringMatching(/^HTTP\/1\.1 404 [^]*\r\nrequest-id: \S{16,}/i)]);
      if (method !== 'HEAD') expect(text).toContain('{"status":"error","error_type":"find_failed"');
    }
    expect(await raw('GET /health/live HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('A8: CONNECT is 405 with the known methods, and the service closes its connection, even if the caller keeps it open', async () => {
    const request = 'CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere:443\r\nX-Request-Id: mine\r\n\r\n';
    const text = await raw(`${request}GET /deals HTTP/1.1\r\n\r\n`);
    expect(text).toMatch(
      /^HTTP\/1\.1 405 [^]*\r\nrequest-id: mine\r\n[^]*\r\nallow: DELETE, GET, HEAD, OPTIONS, POST, PUT\r\n/i,
    );
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      status: 'error',
      error_type: 'method_not_allowed',
    });
    const { port } = new URL(service.url);
    const half = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    // Writing to a closed connection breaks it.
    const broken = new Promise((resolve) => half.resume().once('error', resolve));
    half.write(request);
    await once(half, 'end');
    const writing = setInterval(() => half.write('x'), 50);
    await broken;
    clearInterval(writing);
    expect((await service.ask('GET', '/health/live')).status).toBe(200);
  });

  it.each([
    [
      'an upgrade',
      200,
      'GET /health/live HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade, close\r\n\r\n',
    ],
    ['HTTP/2 without TLS', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', 400, '\x16\x03\x01\x02\x00\x01\x00'],
    ['an unknown method', 400, 'BREW /deals HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a method of another protocol', 405, 'MKCOL /deals HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['a target that is an authority', 400, 'GET elsewhere:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['two lengths', 400, 'POST /users HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'both a length and chunks',
      400,
      'POST /users HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a header over two lines', 400, 'GET /health/live HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\r\n\r\n'],
  ])('A8: answers %s with %i', async (_, status, bytes) => {
    const text = await raw(bytes);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\\r\\nrequest-id: \\S{16,}`, 'i'));
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });
});
