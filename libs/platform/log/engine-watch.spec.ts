import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { thisMachine } from '#adapters/machine';
import { EngineWatch } from './engine-watch.js';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly reason?: string;
}

describe('the watch over servers', () => {
  let watch: EngineWatch | undefined;
  let server: Server | undefined;
  afterEach(() => {
    watch?.close();
    server?.close();
  });

  async function listen(port: number): Promise<number> {
    server = createServer((_, response) => response.end()).listen(port, '127.0.0.1');
    while (!server.listening) await pause(5);
    return (server.address() as AddressInfo).port;
  }

  it('logs once that a server does not answer, and once that it answers again', async () => {
    const lines: Line[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
    const until = async (count: number): Promise<void> => {
      while (lines.length < count) await pause(20);
    };
    const port = await listen(0);
    const ask = (): Promise<Response> => fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } });
    watch = new EngineWatch([{ name: 'gateway', engine: 'the gateway', ask }], log, thisMachine.time);
    server?.close();
    await until(1);
    await listen(port);
    await until(2);
    expect(lines).toMatchObject([
      { level: 50, msg: 'the gateway does not answer', reason: expect.any(String) },
      { level: 40, msg: 'the gateway answers again' },
    ]);
  });
});
