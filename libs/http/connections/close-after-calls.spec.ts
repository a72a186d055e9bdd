import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { thisMachine } from '#adapters/machine';
import type { Time } from '#eventsourcing';
import { PATIENCE, WAITS } from '#kernel/bounds';
import { PATIENT } from '../../../test/support/patient-fastify.js';
import { closeAfterCalls } from './close-after-calls.js';
import { watchConnections } from './connections.js';

const { time } = thisMachine;
const MANY = 16_000_000;

const timeWith = (other: Partial<Time>): Time => ({
  wall: () => time.wall(),
  monotonic: () => time.monotonic(),
  after: (milliseconds, work) => time.after(milliseconds, work),
  every: (milliseconds, work) => time.every(milliseconds, work),
  cancel: (timer) => time.cancel(timer),
  pause: (milliseconds) => time.pause(milliseconds),
  timeout: (milliseconds) => time.timeout(milliseconds),
  soon: (work) => time.soon(work),
  turn: () => time.turn(),
  ...other,
});
/** A time that passes when somebody waits for it, and when the test says so. */
class TestTime {
  now = 0;
  readonly time: Time;

  /** @param passes whether waiting lets it pass */
  constructor(passes: boolean) {
    this.time = timeWith({
      monotonic: () => this.now,
      pause: async (milliseconds) => {
        if (passes) this.now += milliseconds;
        await time.pause(2);
      },
    });
  }
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

describe('A8: a stop', () => {
  let server: FastifyInstance;
  let caller: Socket;
  let received: string;
  let closed: Promise<unknown>;
  /** Lets the slow answers end. */
  let release: () => void;

  beforeEach(() => {
    const released = new Promise<void>((resolve) => (release = resolve));
    server = fastify({ ...PATIENT, return503OnClosing: false });
    server.get('/quick', (_, reply) => reply.send('quick'));
    server.get('/slow', () => released.then(() => 'slow'));
    server.get('/large', () => released.then(() => 'x'.repeat(MANY)));
    server.get('/pieces', (_, reply) => {
      const pieces = async function* (): AsyncGenerator<string> {
        yield 'first';
        await released;
        yield 'last';
      };
      return reply.send(Readable.from(pieces()));
    });
    server.get('/endless', (_, reply) =>
      reply.send(Readable.from(Array.from({ length: 1_000 }, () => 'x'.repeat(MANY / 1_000)))),
    );
  });

  async function begin(its: Time): Promise<void> {
    closeAfterCalls(server, [watchConnections(server, its)], its);
    await server.listen({ port: 0, host: '127.0.0.1' });
    caller = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    received = '';
    caller.on('error', (error) => (received += String(error)));
    caller.on('data', (bytes: Buffer) => (received += bytes.toString()));
    closed = new Promise((resolve) => caller.once('close', resolve));
    await once(caller, 'connect');
  }

  const answers = (): readonly string[] =>
    received
      .split('HTTP/1.1 ')
      .slice(1)
      .map((each) => `${/^connection: close/im.test(each) ? 'last' : 'kept'}: ${each.split('\r\n\r\n')[1] ?? ''}`);

  it('answers a call that came while the process stood still', async () => {
    const standStill = async (milliseconds: number): Promise<void> => {
      await time.pause(milliseconds);
      if (!caller.closed) caller.write(get('/quick'));
      for (const end = performance.now() + 2 * WAITS.lastCall; performance.now() < end;);
    };
    await begin(timeWith({ pause: standStill }));
    caller.write(get('/quick'));
    await once(caller, 'data');
    await server.close();
    await closed;
    expect(answers()).toEqual(['kept: quick', 'last: quick']);
  });

  it.each([
    ['before', 'before'],
    ['before', 'after'],
    ['after', 'after'],
  ])('answers pipelined calls that came %s and %s it', async (first, second) => {
    await begin(time);
    const calls = [first, second].map((when) => ({ when, text: get('/slow') }));
    const send = (now: string): void => {
      for (const { when, text } of calls) if (when === now) caller.write(text);
    };
    send('before');
    await pause(50);
    const stopped = server.close();
    await pause(50);
    send('after');
    await pause(50);
    release();
    await stopped;
    await closed;
    expect(answers()).toEqual(['kept: slow', 'last: slow']);
  });

  it('waits for the next call on a connection whose answer was not marked as the last one', async () => {
    const test = new TestTime(false);
    await begin(test.time);
    caller.write(get('/pieces'));
    await once(caller, 'data');
    const stopped = server.close();
    await pause(50);
    test.now += 2 * WAITS.lastCall;
    await pause(50);
    release();
    await once(caller, 'data');
    await pause(50);
    test.now += WAITS.lastCall / 2;
    await pause(50);
    caller.write(get('/quick'));
    await stopped;
    await closed;
    expect(answers()).toEqual([expect.stringMatching(/^kept: [^]*first[^]*last/), 'last: quick']);
  });

  it('gives a caller time to take an answer that was ready late', async () => {
    const test = new TestTime(false);
    await begin(test.time);
    caller.write(get('/large'));
    await pause(50);
    const stopped = server.close();
    await pause(50);
    test.now += 0.7 * WAITS.lastAnswer;
    caller.pause();
    release();
    await pause(100);
    test.now += 0.9 * WAITS.lastAnswer;
    await pause(100);
    caller.resume();
    await stopped;
    await closed;
    expect(received.length).toBeGreaterThan(MANY);
  });

  it.each([
    ['/large', 'a whole answer'],
    ['/endless', 'an answer in pieces'],
  ])('%s: waits for a caller who does not take %s, but not until it would be broken off', async (path) => {
    const test = new TestTime(true);
    await begin(test.time);
    caller.pause();
    caller.write(get(path));
    release();
    await pause(100);
    await server.close();
    expect(test.now).toBeGreaterThanOrEqual(WAITS.lastAnswer);
    expect(test.now).toBeLessThan(PATIENCE.stop);
    caller.destroy();
  });

  it('breaks off a call that takes too long', async () => {
    const test = new TestTime(true);
    await begin(test.time);
    caller.write(get('/slow'));
    await pause(100);
    await server.close();
    expect(test.now).toBeGreaterThanOrEqual(PATIENCE.stop);
    await closed;
    expect(received).toBe('');
  });
});
