import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MOST_PIPELINED } from '#kernel/bounds';
import { limitPipelines } from './pipelines.js';

describe('A8: requests that a caller sends without waiting for answers', () => {
  let server: Server;
  let caller: Socket;
  let received: string;
  let ran: string[];
  /** The requests that run now, each with what ends it. */
  let running: (() => void)[];
  let most: number;
  let parsed: number;

  beforeEach(async () => {
    [received, ran, running, most, parsed] = ['', [], [], 0, 0];
    server = createServer((request, response) => {
      ran.push(request.url ?? '');
      let body = '';
      request.on('data', (bytes: Buffer) => (body += bytes.toString()));
      running.push(() => {
        running = running.slice(1);
        response.end(`${request.url} ${body}`);
      });
      most = Math.max(most, running.length);
    });
    const inTurn = limitPipelines(server);
    server.on(
      'checkExpectation',
      inTurn((request, response) => void response.writeHead(417).end(request.url)),
    );
    server.prependListener('request', () => (parsed += 1));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
    caller.on('data', (bytes: Buffer) => (received += bytes.toString()));
    caller.on('error', () => undefined);
  });
  afterEach(() => {
    caller.destroy();
    server.closeAllConnections();
    server.close();
  });

  const get = (path: string | number): string => `GET /${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const many = (requests: number): string => Array.from({ length: requests }, (_, number) => get(number)).join('');
  const answers = (): readonly string[] =>
    received
      .split('HTTP/1.1 200 OK')
      .slice(1)
      .map((each) => each.split('\r\n\r\n')[1] ?? '');
  /** Ends requests, one after another, until this many have run. */
  async function answer(requests: number): Promise<void> {
    while (ran.length < requests || running.length > 0) {
      running[0]?.();
      await pause(1);
    }
  }

  it('run one after another, in their order, and bodies belong to their requests', async () => {
    const post = 'POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody';
    caller.write(get('a') + post + get('c'));
    await answer(3);
    expect([ran, most]).toEqual([['/a', '/b', '/c'], 1]);
    await pause(20);
    expect(answers().map((each) => each.replaceAll(/\r\n|[0-9a-f]+\r\n/g, ''))).toEqual([
      expect.stringContaining('/a'),
      expect.stringContaining('/b body'),
      expect.stringContaining('/c'),
    ]);
  });

  it(`all run if at most ${MOST_PIPELINED} wait, and the connection stays open for more`, async () => {
    caller.write(many(1 + MOST_PIPELINED));
    await answer(1 + MOST_PIPELINED);
    caller.write(many(1));
    await answer(2 + MOST_PIPELINED);
    await pause(20);
    expect([answers().length, most, caller.closed]).toEqual([2 + MOST_PIPELINED, 1, false]);
  });

  it('run no further than those that wait if there are more: then the connection is closed, and nothing more is read', async () => {
    const closed = new Promise((resolve) => caller.once('close', resolve));
    const requests = 200_000;
    caller.write(many(requests));
    await answer(1 + MOST_PIPELINED);
    await closed;
    expect([ran.length, most, answers().length]).toEqual([1 + MOST_PIPELINED, 1, 1 + MOST_PIPELINED]);
    expect(received.match(/^connection: close/gim)).toHaveLength(1);
    // Beyond the first one too many, Node makes no request.
    expect(parsed).toBe(2 + MOST_PIPELINED);
  });

  it('do not run after the caller has gone', async () => {
    caller.write(many(5));
    while (ran.length < 1) await pause(1);
    caller.destroy();
    await pause(20);
    running[0]?.();
    await pause(20);
    expect(ran).toEqual(['/0']);
  });

  it('with an expectation wait as others do, and nothing more is read if too many come', async () => {
    const expecting = (path: number): string => `GET /${path} HTTP/1.1\r\nHost: x\r\nExpect: much\r\n\r\n`;
    caller.write(get('first') + Array.from({ length: 10 * MOST_PIPELINED }, (_, number) => expecting(number)).join(''));
    while (running.length === 0) await pause(1);
    await pause(50);
    expect(received).toBe('');
    running[0]?.();
    await once(caller, 'close');
    expect(received.split(' 417 ').length - 1).toBeLessThanOrEqual(MOST_PIPELINED);
    expect(received).toContain('first');
  });
});
