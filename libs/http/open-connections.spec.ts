import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { thisMachine } from '#adapters/machine';
import { WAITS } from '#kernel/bounds';
import { closeAfterCalls } from './open-connections.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

it('A8: a stop answers a call that came while the process stood still', async () => {
  const { time } = thisMachine;
  const standStill = async (milliseconds: number): Promise<void> => {
    await time.pause(milliseconds);
    if (!caller.closed) caller.write(REQUEST);
    for (const end = performance.now() + 2 * WAITS.lastCall; performance.now() < end;);
  };
  const server = fastify({ return503OnClosing: false });
  closeAfterCalls(server, { ...time, monotonic: () => time.monotonic(), turn: () => time.turn(), pause: standStill });
  server.get('/', (_, reply) => reply.send('answer'));
  await server.listen({ port: 0, host: '127.0.0.1' });
  const caller = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  caller.on('error', (error) => (received += String(error)));
  caller.on('data', (bytes: Buffer) => (received += bytes.toString()));
  caller.write(REQUEST);
  await once(caller, 'data');
  const closed = new Promise((resolve) => caller.once('close', resolve));
  await server.close();
  await closed;
  expect(received).toMatch(/^HTTP\/1\.1 200 [^]*answerHTTP\/1\.1 200 [^]*connection: close[^]*answer$/i);
});
