import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunningService, type TestPartner } from '../support/running-service.js';

const REFUSAL =
  '{"status":"error","error_type":"https_required","error_msg":"use HTTPS: plain HTTP works only from the machine that runs the service"}';

/** An address of this machine that is not loopback. */
const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find((each) => each !== undefined && !each.internal && each.family === 'IPv4')?.address;
const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1');

if (elsewhere === undefined)
  process.stderr.write(
    'This machine has only loopback addresses: the tests of the refusal of plain HTTP (A3) DID NOT RUN.\n',
  );
const withElsewhere = elsewhere === undefined ? it.skip : it;

/** Sends these bytes and nothing more; returns what comes until the far end closes, or until there is enough. */
async function talk(host: string, port: number, bytes: string): Promise<string> {
  const socket = connect({ host, port });
  await once(socket, 'connect');
  socket.write(bytes);
  let received = '';
  for await (const chunk of socket) {
    received += String(chunk);
    const [head = '', body = ''] = received.split('\r\n\r\n');
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    if (length !== undefined && body.length >= Number(length)) break;
  }
  socket.destroy();
  return received;
}

describe.each(['0.0.0.0', ...(hasIpv6 ? ['::'] : [])])('plain HTTP, listening on %s', (host) => {
  let service: RunningService;
  let acme: TestPartner;
  let port: number;

  beforeAll(async () => {
    service = await RunningService.start({ env: { HOST: host, PUBLIC_URL: 'http://127.0.0.1' } });
    port = Number(new URL(service.url).port);
    acme = await service.newPartner('acme');
    await service.newDeal('lunch', { stock: 3 });
  });
  afterAll(() => service.discard());

  const head = (method: string, path: string, more = ''): string =>
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${acme.key}\r\n${more}`;

  it('G9: the start says so, with an address that works from here', () => {
    expect(service.url).toBe(`http://${host.includes(':') ? '[::1]' : '127.0.0.1'}:${port}`);
    expect(service.printed).toContain('Plain HTTP works only from this machine: every other one gets 403');
  });

  withElsewhere('A3, 5: is refused with 403 from any address but this machine’s loopback', async () => {
    for (const path of [
      '/v1/deals',
      '/operators/clock',
      '/C/0',
      '/coupons/0/0/print',
      '/nothing',
      '/deals/%',
      '/health',
      '/healthy/live',
      '/v1/health/live',
      '/v1/openapi.json',
      '/docs.json',
      '/docsmith',
    ]) {
      const answer = await talk(elsewhere ?? '', port, `${head('GET', path)}\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 403 /);
      expect(answer.split('\r\n\r\n')[1]).toBe(REFUSAL);
      expect(answer).toMatch(/request-id: \S{16}/i);
    }
  });

  withElsewhere('5.1, A3: is refused before the service reads anything, without waiting for the body', async () => {
    const answer = await talk(
      elsewhere ?? '',
      port,
      `${head('POST', '/purchases/reserve?deal_id=lunch&num_bought=1', 'Content-Type: application/json\r\nContent-Length: 5000\r\n')}\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    const wrong = await talk(
      elsewhere ?? '',
      port,
      `${head('POST', '/users', 'Content-Type: application/xml\r\nContent-Length: 1\r\n')}\r\n{`,
    );
    expect(wrong).toMatch(/^HTTP\/1\.1 403 /);
    expect((await service.look('/deals/lunch', acme.key)).body.deal.num_left).toBe(3);
  });

  withElsewhere('A3: is refused whatever headers say about HTTPS, because no proxy is trusted', async () => {
    const forwarded = 'X-Forwarded-Proto: https\r\nForwarded: proto=https\r\nX-Forwarded-For: 127.0.0.1\r\n';
    expect(await talk(elsewhere ?? '', port, `${head('GET', '/v1/deals', forwarded)}\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
  });

  withElsewhere('A3, G11: is allowed for health checks and the reference', async () => {
    for (const path of ['/health/live', '/health/ready', '/openapi.json', '/docs']) {
      const bytes = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      expect(await talk(elsewhere ?? '', port, bytes)).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  it('A3: is allowed from this machine', async () => {
    for (const from of ['127.0.0.1', ...(host === '::' ? ['::1'] : [])]) {
      expect(await talk(from, port, `${head('GET', '/v1/deals')}\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    }
  });
});

describe('behind a proxy', () => {
  const start = (proxies: string): Promise<RunningService> =>
    RunningService.start({ env: { HOST: '0.0.0.0', PUBLIC_URL: 'http://127.0.0.1', TRUSTED_PROXIES: proxies } });
  /** The statuses of a request with each of these headers. */
  async function statusesOf(service: RunningService, host: string, headers: readonly string[]): Promise<number[]> {
    const { key } = await service.newPartner(`p-${host.replaceAll('.', '-')}`);
    const statuses: number[] = [];
    for (const header of headers) {
      const request = `GET /v1/deals HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n${header}\r\n`;
      const answer = await talk(host, Number(new URL(service.url).port), request);
      statuses.push(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]));
    }
    return statuses;
  }
  const HEADERS = [
    '',
    'X-Forwarded-Proto: https\r\n',
    'X-Forwarded-Proto: HTTPS\r\n',
    'X-Forwarded-Proto: http\r\n',
    'X-Forwarded-Proto: \r\n',
    // Each proxy appends its own value.
    'X-Forwarded-Proto: http, https\r\n',
    'X-Forwarded-Proto: https, http\r\n',
    'X-Forwarded-Proto: https\r\nX-Forwarded-Proto: http\r\n',
    'X-Forwarded-Proto: http\r\nX-Forwarded-For: 127.0.0.1\r\n',
    'Forwarded: proto=https\r\n',
  ];

  withElsewhere('A3, 5: only a trusted proxy says whether a request came by HTTPS', async () => {
    const service = await start(`192.0.2.1, ${elsewhere ?? ''}/32`);
    try {
      expect(await statusesOf(service, elsewhere ?? '', HEADERS)).toEqual([
        403, 200, 200, 403, 403, 200, 403, 403, 403, 403,
      ]);
      // This machine is not one of the proxies: its headers do not count, and its requests are allowed.
      expect(await statusesOf(service, '127.0.0.1', HEADERS)).toEqual(HEADERS.map(() => 200));
    } finally {
      await service.discard();
    }
  });

  it('A3: a proxy on this machine that says http is refused, except for health checks', async () => {
    const service = await start('127.0.0.0/8');
    try {
      expect(await statusesOf(service, '127.0.0.1', HEADERS)).toEqual([
        200, 200, 200, 403, 403, 200, 403, 403, 403, 200,
      ]);
      const health = await service.ask('GET', '/health/live', { headers: { 'x-forwarded-proto': 'http' } });
      expect(health.status).toBe(200);
      const refused = await service.ask('GET', '/v1/deals', { headers: { 'x-forwarded-proto': 'http' } });
      expect(refused.text).toBe(REFUSAL);
    } finally {
      await service.discard();
    }
  });
});

describe('without configuration', () => {
  withElsewhere('A3: the service listens on loopback alone', async () => {
    const service = await RunningService.start();
    try {
      expect(new URL(service.url).hostname).toBe('127.0.0.1');
      await expect(talk(elsewhere ?? '', Number(new URL(service.url).port), 'GET / HTTP/1.1\r\n\r\n')).rejects.toThrow(
        /ECONNREFUSED/,
      );
    } finally {
      await service.discard();
    }
  });
});
