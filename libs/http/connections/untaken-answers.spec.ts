import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import type { Time } from '#eventsourcing';
import { UNTAKEN, WAITS } from '#kernel/bounds';
import { PATIENT } from '../../../test/support/patient-fastify.js';
import { watchConnections } from './connections.js';
import { boundUntaken } from './untaken-answers.js';

/** More than the operating system takes for a reader who reads nothing. */
const LARGE = 16_000_000;

describe('A8: an answer that its caller does not take', () => {
  let server: FastifyInstance;
  let now: number;
  let look: () => void;
  let callers: Socket[];

  beforeEach(async () => {
    [now, callers] = [0, []];
    const time = {
      monotonic: () => now,
      every: (_: number, work: () => void) => {
        look = work;
        return { unref: () => undefined };
      },
      cancel: () => undefined,
    } as unknown as Time;
    server = fastify(PATIENT);
    server.get('/large', (_, reply) => reply.type('text/plain').send('x'.repeat(LARGE)));
    server.post('/large', (_, reply) => reply.type('text/plain').send('x'.repeat(LARGE)));
    server.get('/small', (_, reply) => reply.send('small'));
    boundUntaken(server, watchConnections(server, time), time);
    await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(async () => {
    for (const caller of callers) caller.destroy();
    await server.close();
  });

  /** Sends a request, and reads nothing. */
  async function ask(method = 'GET'): Promise<Socket> {
    const caller = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    callers.push(caller);
    await once(caller, 'connect');
    caller.pause();
    caller.write(`${method} /large HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
    await pause(100);
    return caller;
  }
  const url = (path: string): string => `http://127.0.0.1:${(server.server.address() as AddressInfo).port}${path}`;
  const open = (): Promise<number> => new Promise((resolve) => server.server.getConnections((_, all) => resolve(all)));
  /** Lets time pass, and the server look. */
  async function after(milliseconds: number): Promise<void> {
    now += milliseconds;
    look();
    await pause(20);
  }

  it('is broken off when they have taken no byte for 10 s, and not before', async () => {
    await ask();
    await after(0);
    await after(WAITS.answer - 1);
    expect(await open()).toBe(1);
    await after(1);
    expect(await open()).toBe(0);
  });

  it('goes on as long as they take some of it', async () => {
    const caller = await ask();
    let received = 0;
    caller.on('data', (bytes: Buffer) => (received += bytes.length));
    for (let turn = 0; turn < 4; turn += 1) {
      await after(WAITS.answer - 1);
      const before = received;
      caller.resume();
      while (received < before + 1_000_000) await pause(1);
      caller.pause();
      await pause(20);
    }
    expect([await open(), caller.closed]).toEqual([1, false]);
  });

  it('to HEAD counts nothing, because it has no body', async () => {
    for (let calls = 0; calls < 10; calls += 1) await (await fetch(url('/large'), { method: 'HEAD' })).text();
    expect((await fetch(url('/large'))).status).toBe(200);
  });

  it('gives way when too many wait: the one that has waited longest ends first, and a large answer to GET is refused', async () => {
    const fit = Math.floor(UNTAKEN.bytes / LARGE);
    for (let number = 0; number < fit; number += 1) {
      await ask();
      await after(1);
    }
    const refused = await fetch(url('/large'));
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      503,
      '1',
      {
        status: 'error',
        error_type: 'unavailable',
        error_msg: expect.stringContaining('too many large answers wait to be taken'),
      },
    ]);
    expect(await (await fetch(url('/small'))).text()).toBe('small');
    // A write has happened when its answer is ready: it is always answered.
    await ask('POST');
    const before = await open();
    await after(WAITS.pause);
    expect([callers.map(({ destroyed }) => destroyed).indexOf(false) >= 0, before - (await open())]).toEqual([true, 1]);
    const answered = await fetch(url('/small'));
    expect(answered.status).toBe(200);
  });
});
