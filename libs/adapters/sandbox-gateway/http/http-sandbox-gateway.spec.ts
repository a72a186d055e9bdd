import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { withSpan } from '#eventsourcing';
import { GatewayOutcomeUnknown } from '#purchasing/ports';
import { HttpSandboxGateway } from './http-sandbox-gateway.js';
import { GATEWAY_BODY } from '#kernel/bounds';

let server: Server;
let gateway: HttpSandboxGateway;

/** A gateway with this answer, whose caller waits so many milliseconds. */
async function answering(timeout: number, answer: (response: ServerResponse) => void): Promise<void> {
  server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  gateway = new HttpSandboxGateway(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, timeout, 'ours');
}

afterEach(async () => {
  await gateway.close();
  server.closeAllConnections();
  server.close();
});

it('D8: an answer is read up to a bound, and beyond it the outcome is unknown', async () => {
  const answer = (bytes: number): string => '{"reference":"r"}'.padEnd(bytes);
  let bytes = GATEWAY_BODY;
  await answering(30_000, (response) => response.end(answer(bytes)));
  const refund = (): Promise<unknown> => gateway.refund('k', { key: 'c', amount: 1 });
  expect(await refund()).toEqual({ reference: 'r' });
  bytes += 1;
  await expect(refund()).rejects.toThrow(GatewayOutcomeUnknown);
});

it.each([
  [
    'comes without end',
    (response: ServerResponse) => void setInterval(() => response.write(' '.repeat(9_000)), 1).unref(),
  ],
  ['stops in the middle', (response: ServerResponse) => response.write('{"reference"')],
])('D8: an answer that %s is given up', async (_, answer) => {
  await answering(1_500, answer);
  await expect(gateway.refund('k', { key: 'c', amount: 1 })).rejects.toThrow(GatewayOutcomeUnknown);
});

it('G9: a call says for which span it is made, if it is traced', async () => {
  const sent: unknown[] = [];
  await answering(30_000, (response) => {
    sent.push(response.req.headers['traceparent']);
    response.end('{"reference":"r"}');
  });
  const context = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), sampled: true };
  const span = { context, set: () => undefined, link: () => undefined, end: () => undefined };
  const refund = (): Promise<unknown> => gateway.refund('k', { key: 'c', amount: 1 });
  await withSpan(span, refund);
  await withSpan({ ...span, context: { ...context, sampled: false } }, refund);
  await refund();
  expect(sent).toEqual([
    `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`,
    undefined,
  ]);
});

/** A server that closes a connection at its call of this number, unanswered. Counts the calls that have arrived. */
async function closingAt(call: number): Promise<{ arrived: number }> {
  const count = { arrived: 0 };
  const calls = new WeakMap<object, number>();
  await answering(30_000, (response) => {
    count.arrived += 1;
    const { socket } = response;
    if (socket === null) throw new Error('an answer has a socket');
    const nth = (calls.get(socket) ?? 0) + 1;
    calls.set(socket, nth);
    if (nth === call) socket.destroy();
    else response.end('{"reference":"r"}');
  });
  return count;
}

it('D7: a call on a kept connection that the gateway closes is sent once more, on a new one', async () => {
  const count = await closingAt(2);
  const refund = (): Promise<unknown> => gateway.refund('k', { key: 'c', amount: 1 });
  expect(await refund()).toEqual({ reference: 'r' });
  expect(await refund()).toEqual({ reference: 'r' });
  expect(count.arrived).toBe(3);
});

it('D7: after a new connection was closed the outcome is unknown, and nothing is sent again', async () => {
  const count = await closingAt(1);
  await expect(gateway.refund('k', { key: 'c', amount: 1 })).rejects.toThrow(GatewayOutcomeUnknown);
  expect(count.arrived).toBe(1);
});

describe('a close breaks off a call whose answer does not come', () => {
  it.each([
    ['on a kept connection', 1],
    ['that is sent once more', 2],
  ])('%s', async (_, answered) => {
    let arrived = 0;
    let isHeld = (): void => undefined;
    const held = new Promise<void>((resolve) => (isHeld = resolve));
    await answering(30_000, (response) => {
      arrived += 1;
      if (arrived === 1) response.end('{"reference":"r"}');
      else if (arrived <= answered) response.socket?.destroy();
      else isHeld();
    });
    const refund = (): Promise<unknown> => gateway.refund('k', { key: 'c', amount: 1 });
    await refund();
    const second = refund().catch((error: unknown) => error);
    await held;
    await gateway.close();
    expect(await second).toBeInstanceOf(GatewayOutcomeUnknown);
    await expect(refund()).rejects.toThrow(GatewayOutcomeUnknown);
    expect(arrived).toBe(answered + 1);
  });
});
