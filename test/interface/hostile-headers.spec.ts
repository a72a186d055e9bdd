import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunningService, type TestPartner } from '../support/running-service.js';

/** Part of every hostile value; no line of the log may contain it. */
const CANARY = 'canary';
/** Values that could break, continue or hide a line, or control a terminal. */
const HOSTILE = [
  CANARY,
  `${CANARY}"},{"level":"fatal","msg":"forged`,
  `${CANARY}\\n{"level":"fatal"}`,
  `${CANARY}\t\\u001b[2J`,
  `${CANARY}\u0085\u009b31m`,
  `${CANARY}\u00e9\u00ff`,
  `${CANARY}${'x'.repeat(12_000)}`,
];
/** Values that HTTP cannot carry: Node refuses them before there is a request. */
const IMPOSSIBLE = [`${CANARY}\u001b[2J`, `${CANARY}\n{"level":"fatal"}`, `${CANARY}\u0000`, `${CANARY}\rx`];
const HEADERS = [
  'user-agent',
  'referer',
  'cookie',
  'accept',
  'authorization',
  'x-api-key',
  'traceparent',
  'tracestate',
  'x-forwarded-for',
  'x-forwarded-host',
  'forwarded',
  'idempotency-key',
  'holdfast-position',
  'if-none-match',
  'content-type',
  'content-encoding',
  'origin',
  'x-unheard-of',
];
/** The most characters of a log line about a request. */
const LINE = 1_500;

describe('A8, G9: values of a request', () => {
  let service: RunningService;
  let acme: TestPartner;

  beforeAll(async () => {
    // No line of a program that ran in the same process before.
    const env = { LOG_LEVEL: 'debug', TRUSTED_PROXIES: '127.0.0.1' };
    service = await RunningService.start({ env, ownProcess: true });
    acme = await service.newPartner('acme');
  });
  afterAll(() => service.discard());

  /** The status of the first answer to these bytes. */
  async function statusOf(bytes: string): Promise<number> {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const closed = once(socket, 'close');
    let answer = '';
    socket.on('data', (piece: Buffer) => (answer += piece.toString('latin1')));
    socket.on('error', () => undefined);
    socket.end(Buffer.from(bytes, 'latin1'));
    await closed;
    return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
  }
  const request = (first: string, more: readonly string[] = []): string =>
    [first, 'Host: x', 'X-Forwarded-Proto: https', 'Connection: close', ...more, '', ''].join('\r\n');

  /** Sends these requests, and checks all lines of the log since then. */
  async function held(requests: readonly string[], statuses: readonly number[]): Promise<void> {
    const before = service.printed.length;
    for (const each of requests)
      expect([each.slice(0, 100), await statusOf(each)]).toEqual([each.slice(0, 100), expect.any(Number)]);
    for (const each of requests.slice(0, 3)) expect(statuses).toContain(await statusOf(each));
    const last = await service.ask('GET', '/deals', {
      key: acme.key,
      headers: { 'x-forwarded-proto': 'https', 'x-request-id': `last-${before}` },
    });
    expect(last.status).toBe(200);
    while (!service.printed.slice(before).includes(`"request_id":"last-${before}"`))
      await new Promise((resolve) => setTimeout(resolve, 20));
    const lines = service.printed.slice(before).split('\n').slice(0, -1);
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) {
      if (line.length >= LINE) throw new Error(`a line of ${line.length} characters: ${line}`);
      // oxlint-disable-next-line no-control-regex -- what must not be there
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]|canary/i);
      expect(JSON.parse(line)).toMatchObject({ level: expect.stringMatching(/^(debug|info|warn)$/), program: 'api' });
    }
  }

  it.each(HEADERS)('never break a line of the log or appear in one: %s', async (name) => {
    await held(
      [
        ...HOSTILE.map((value) => request('GET /deals HTTP/1.1', [`${name}: ${value}`])),
        ...HOSTILE.map((value) => request('GET /deals HTTP/1.1', [`x-api-key: ${acme.key}`, `${name}: ${value}`])),
        ...IMPOSSIBLE.map((value) => request('GET /deals HTTP/1.1', [`${name}: ${value}`])),
      ],
      [200, 400, 401],
    );
  });

  it('never do so from a path, a query or a method either', async () => {
    const targets = HOSTILE.flatMap((value) => {
      const encoded = encodeURIComponent(value);
      return [
        `/${encoded}`,
        `/deals/${encoded}`,
        `/deals?${encoded}=${encoded}`,
        `/users/${encoded}/coupons`,
        `/C/${encoded}`,
      ];
    });
    const raw = [...HOSTILE, ...IMPOSSIBLE].flatMap((value) => [`/${value}`, `/deals/${value}`, `/deals?a=${value}`]);
    const methods = [...HOSTILE, ...IMPOSSIBLE].map((value) => request(`${value} /deals HTTP/1.1`));
    const known = targets.map((target) => request(`GET ${target} HTTP/1.1`, [`x-api-key: ${acme.key}`]));
    await held(
      [...known, ...[...targets, ...raw].map((target) => request(`GET ${target} HTTP/1.1`)), ...methods],
      [200, 400, 401, 404],
    );
  });

  it('appear as JSON strings when they are valid request ids, and nowhere otherwise', async () => {
    const id = '"},{"level":"fatal","x":"\\u001b[2J';
    const answer = await service.ask('GET', '/deals', {
      key: acme.key,
      headers: { 'x-forwarded-proto': 'https', 'x-request-id': id },
    });
    expect([answer.status, answer.headers['request-id']]).toEqual([200, id]);
    const escaped = JSON.stringify(id).slice(1, -1);
    while (!service.printed.includes(escaped)) await new Promise((resolve) => setTimeout(resolve, 20));
    const lines = service.printed.split('\n').filter((line) => line.includes(escaped));
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ level: expect.stringMatching(/debug|info/), request_id: id });
    await held(
      ['a b', 'x'.repeat(129), 'caf\u00e9', '\u009b31m'].map((each) =>
        request('GET /deals HTTP/1.1', [`x-request-id: ${CANARY}${each}`]),
      ),
      [401],
    );
  });
});
