import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { BUILD } from '../support/build.js';
import { isCluster, sharedEngines } from '../support/cluster.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

/** Where the log of these services is. */
const { eventStoreUrl } = sharedEngines() ?? {};
const LOG = eventStoreUrl === undefined ? 'embedded' : expect.stringMatching(/^EventStoreDB at /);
const itOfOneProcess = isCluster(sharedEngines() ?? { eventStoreUrl: '' }) ? it.skip : it;

/** The JSON lines of a service's log. The greeting before them is for people. */
function linesOf(service: RunningService): Json[] {
  return service.printed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

async function lineOf(service: RunningService, holds: (line: Json) => boolean): Promise<Json> {
  for (let tries = 0; tries < 12_000; tries += 1) {
    const found = linesOf(service).find(holds);
    if (found !== undefined) return found;
    await pause(20);
  }
  throw new Error(`no such line in ${service.printed}`);
}

describe('G9: the log of a service', () => {
  let service: RunningService;
  let acme: TestPartner;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    await service.newDeal('lunch');
  });
  afterAll(() => service.discard());

  /** The answer to these bytes. */
  async function garbled(bytes: string): Promise<string> {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const closed = once(socket, 'close');
    socket.write(bytes);
    let answer = '';
    socket.on('data', (piece: Buffer) => (answer += piece.toString()));
    await closed;
    return answer;
  }

  it('shows a request with its route, ids and sizes', async () => {
    const answer = await service.ask('GET', '/v1/deals/lunch.json?secret=canary', { key: acme.key });
    const id = answer.headers['request-id'];
    const line = await lineOf(service, (each) => each.request_id === id);
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      program: 'api',
      pid: service.child.pid,
      ...BUILD,
      method: 'GET',
      route: '/deals/:deal_id',
      status: 200,
      duration_ms: expect.any(Number),
      request_id: id,
      client: 'partner',
      credential: acme.keyId,
      bytes_in: 0,
      bytes_out: answer.bytes.length,
      msg: 'request',
    });
    expect(service.printed).not.toContain('canary');
    expect(service.printed).not.toContain(acme.key);
  });

  it('shows the size of the body, and an operator by the id of their token', async () => {
    const body = { name: 'Lisbon', time_zone: 'Europe/Lisbon' };
    const options = { token: service.operatorToken, body };
    const answer = await service.ask('PUT', '/operators/regions/lisbon', options);
    const line = await lineOf(service, (each) => each.request_id === answer.headers['request-id']);
    expect(line).toMatchObject({ route: '/operators/regions/:slug', client: 'operator' });
    expect(line.bytes_in).toBe(Buffer.byteLength(JSON.stringify(body)));
    const { tokens } = await service.operate('GET', '/tokens');
    expect(tokens.map(({ id }: Json) => id)).toContain(line.credential);
  });

  it("A8: shows a request under its caller's id, with the trace that it belongs to", async () => {
    const headers = {
      'x-request-id': 'their-own/42',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    };
    const answer = await service.ask('GET', '/deals/lunch', { key: acme.key, headers });
    expect([answer.headers['request-id'], answer.headers['x-request-id']]).toEqual(['their-own/42', 'their-own/42']);
    expect(await lineOf(service, ({ request_id }) => request_id === 'their-own/42')).toMatchObject({
      correlation: expect.stringMatching(/^[0-9a-f]{16}-\w+$/),
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      parent_id: '00f067aa0ba902b7',
    });
  });

  it.each([
    ['x-request-id', 'with a space'],
    ['x-request-id', 'x'.repeat(129)],
    ['x-request-id', 'caf\u00e9'],
    ['traceparent', '00-00000000000000000000000000000000-00f067aa0ba902b7-01'],
    ['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more'],
    ['traceparent', 'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    ['traceparent', '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01'],
  ])('A8: ignores a %s that is malformed or too long: %s', async (name, value) => {
    const answer = await service.ask('GET', '/deals/lunch', { key: acme.key, headers: { [name]: value } });
    const id = answer.headers['request-id'];
    expect([answer.status, id]).toEqual([200, expect.stringMatching(/^[0-9a-f]{16}-\w+$/)]);
    const line = await lineOf(service, ({ request_id }) => request_id === id);
    expect([line.trace_id, line.correlation]).toEqual([undefined, undefined]);
  });

  it.each([
    ['an unknown id', '/deals/nothing', true, 404, '/deals/:deal_id', 'warn'],
    ['no such path', '/nowhere/canary', true, 404, null, 'warn'],
    ['a wrong key', '/deals/lunch?api_key=canary', false, 401, '/deals/:deal_id', 'warn'],
  ])('has a level that shows the outcome: %s', async (_, path, known, status, route, level) => {
    const answer = await service.ask('GET', path, known ? { key: acme.key } : {});
    const line = await lineOf(service, (each) => each.request_id === answer.headers['request-id']);
    expect(line).toMatchObject({ status, route, level });
    // The reason for a refusal; and the address behind a failed credential, which no other line has.
    expect([line.error_type, line.address]).toEqual([answer.body.error_type, status === 401 ? '127.0.0.1' : undefined]);
    expect(line.error_type).toMatch(/^(auth|find)_failed$/);
    if (!known) expect([line.client, line.credential]).toEqual([null, null]);
    expect(service.printed).not.toContain('canary');
  });

  it.each([
    ['bytes that are not HTTP', 400, null, 'canary\r\n\r\n'],
    ['a header without end', 431, null, `GET /deals?canary HTTP/1.1\r\nhost: x\r\na: ${'x'.repeat(20_000)}\r\n\r\n`],
    [
      'an expectation that it cannot meet',
      417,
      'GET',
      'GET /deals?canary HTTP/1.1\r\nhost: x\r\nexpect: canary\r\n\r\n',
    ],
    ['half a head', 408, null, 'GET /deals?canary HTTP/1.1\r\nhost'],
  ])(
    'A8: shows what Node refuses before there is a request, without its path: %s',
    async (_, status, method, bytes) => {
      const answer = await garbled(bytes);
      const id = /request-id: (\S+)/i.exec(answer)?.[1];
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(await lineOf(service, (each) => id !== undefined && each.request_id === id)).toMatchObject({
        level: 'warn',
        msg: 'request',
        method,
        route: null,
        status,
        client: null,
        credential: null,
        bytes_out: Number(/content-length: (\d+)/i.exec(answer)?.[1]),
      });
      expect(service.printed).not.toContain('canary');
    },
  );

  it("A8: shows an unmet expectation under its caller's id", async () => {
    const headers = { expect: '200-ok', 'x-request-id': 'their-own/43' };
    const answer = await service.ask('GET', '/deals/lunch', { key: acme.key, headers });
    expect([answer.status, answer.headers['request-id'], answer.headers['x-request-id']]).toEqual([
      417,
      'their-own/43',
      'their-own/43',
    ]);
    expect(await lineOf(service, ({ request_id }) => request_id === 'their-own/43')).toMatchObject({ status: 417 });
  });

  it('A8: shows a flood without a credential in a few lines, with the number of requests that have none', async () => {
    const sent = 200;
    const before = linesOf(service).length;
    const ask = (): Promise<Answer> => service.ask('GET', '/deals', { key: 'nobodys' });
    const garble = (): Promise<string> => garbled('no HTTP\r\n\r\n');
    await Promise.all(Array.from({ length: sent }, (_, n) => (n % 2 === 0 ? ask() : garble())));
    const held = await service.ask('GET', '/deals', { key: acme.key });
    await lineOf(service, ({ request_id }) => request_id === held.headers['request-id']);
    const since = (): Json[] => linesOf(service).slice(before);
    const hiddenCount = (): number =>
      since()
        .flatMap((line) => Object.values((line.not_logged ?? {}) as Record<string, number>))
        .reduce((sum, each) => sum + each, 0);
    const shownCount = (): number =>
      since().filter(({ client, status }) => client === null && [400, 401].includes(status)).length;
    while (shownCount() + hiddenCount() < sent) await pause(50);
    expect(shownCount() + hiddenCount()).toBe(sent);
    expect(hiddenCount()).toBeGreaterThan(0);
    expect(await lineOf(service, (line) => line.not_logged !== undefined)).toMatchObject({ level: 'warn' });
  });

  it('G6: shows which generation of a view readers see from now on', async () => {
    await service.operate('POST', '/projections/regions/rebuild');
    let promoted = false;
    while (!promoted) {
      const path = '/operators/projections/regions/generations/2/promote';
      promoted = (await service.ask('POST', path, { token: service.operatorToken })).status === 200;
      await pause(50);
    }
    const line = await lineOf(service, ({ msg }) => msg === 'a view was promoted');
    expect(line).toMatchObject({ level: 'info', view: 'regions', generation: 2, before: 1 });
  });
});

describe('G9: the level of a log', () => {
  it.each([
    ['debug', ['request begins', 'GET /health/ready', 'GET /deals', 'GET null'], []],
    ['warn', ['GET null'], ['GET /deals', 'GET /health/ready', 'listening']],
    ['silent', [], ['GET null', 'GET /deals', 'listening']],
  ])('selects its lines: %s', async (level, written, absent) => {
    const service = await RunningService.start({ env: { LOG_LEVEL: level } });
    const acme = await service.newPartner('acme');
    await service.ask('GET', '/health/ready');
    await service.ask('GET', '/deals', { key: acme.key });
    await service.ask('GET', '/nowhere', { key: acme.key });
    await service.stop();
    await service.discard();
    const lines = linesOf(service);
    const seen = lines.flatMap(({ msg, method, route }) => (msg === 'request' ? [`${method} ${route}`] : [msg]));
    expect(seen).toEqual(expect.arrayContaining(written));
    for (const each of absent) expect(seen).not.toContain(each);
  });

  itOfOneProcess('is only JSON after the greeting, up to the last line, which shows the stop', async () => {
    const service = await RunningService.start();
    await service.newPartner('acme');
    await service.stop();
    const { printed } = service;
    const lines = printed.slice(printed.indexOf('auditor.token.')).split('\n').slice(1, -1);
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), msg: expect.any(String) });
    const log = linesOf(service);
    expect(log.find(({ msg }) => msg === 'listening')).toMatchObject({
      url: service.url,
      version: expect.any(String),
      role: 'all',
      engines: { log: LOG, views: 'embedded', work: 'embedded', mail: 'outbox', gateway: 'embedded' },
    });
    expect(log.find(({ msg }) => msg === 'ready')).toMatchObject({ url: service.url, seconds: expect.any(Number) });
    expect(log.slice(-2)).toMatchObject([
      { msg: 'stopping', signal: 'SIGTERM' },
      { msg: 'stopped', seconds: expect.any(Number) },
    ]);
    await service.discard();
  });
});
