import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { RunningService, type TestPartner } from '../support/running-service.js';
import { describeOnEmbedded } from '../support/on-embedded.js';

/** Calls of each connection, one after another. */
const CALLS = 5;

/** A call on a connection that stays open. */
async function call(socket: Socket, head: readonly string[]): Promise<number> {
  socket.write([...head, '', ''].join('\r\n'));
  let answer = '';
  for (;;) {
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    answer += bytes.toString('latin1');
    const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
    const body = answer.indexOf('\r\n\r\n') + 4;
    if (body > 3 && answer.length - body >= Number(length)) return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
  }
}

describeOnEmbedded('A8: the bounds of connections stop no honest caller', () => {
  let service: RunningService;
  let acme: TestPartner;

  beforeAll(async () => {
    service = await RunningService.start({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
    acme = await service.newPartner('acme');
    await service.newDeal('lunch');
    await service.look('/deals/lunch', acme.key);
  });
  afterAll(() => service.discard());

  /** Opens so many connections at once from one address. @returns how often each status was answered */
  async function statuses(connections: number, from: string, more: readonly string[]): Promise<object> {
    const port = Number(new URL(service.url).port);
    const sockets = Array.from({ length: connections }, () => connect({ port, host: '127.0.0.1', localAddress: from }));
    const seen: Record<number, number> = {};
    const head = ['GET /deals/lunch HTTP/1.1', 'Host: x', `X-Api-Key: ${acme.key}`, ...more];
    await Promise.all(
      sockets.map(async (socket) => {
        for (let turn = 0; turn < CALLS; turn += 1) {
          const status = await call(socket, head);
          seen[status] = (seen[status] ?? 0) + 1;
        }
      }),
    );
    for (const socket of sockets) socket.destroy();
    return seen;
  }

  it('1000 callers behind one trusted proxy are all answered', async () => {
    const forwarded = ['X-Forwarded-For: 203.0.113.7', 'X-Forwarded-Proto: https'];
    expect(await statuses(1_000, '127.0.0.1', forwarded)).toEqual({ 200: 1_000 * CALLS });
  });

  it('64 connections of one partner that stay open are all answered', async () => {
    expect(await statuses(64, '127.0.0.2', [])).toEqual({ 200: 64 * CALLS });
  });
});
