/**
 * What Node itself costs: a server that reads and checks nothing, and answers every request as ours answers one without a
 * credential. It prints its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** It closes the connection of a larger body instead of discarding the body, as ours does. */
const MOST_DISCARDED = 256 * 1024;

/**
 * Its heap holds as much as that of a service. Node reads a body in pieces of 64 KiB, also one that nobody asks for, and for
 * every few hundred of them the garbage collector looks through the heap: in an empty one that costs nothing.
 */
const heap = Array.from({ length: 250_000 }, (_, number) => ({ number, text: `object ${number}`, list: [number] }));

const body = JSON.stringify({
  status: 'error',
  error_type: 'auth_failed',
  error_msg: 'send a valid api_key, or the header X-Api-Key',
});
const server = createServer((request, response) => {
  const isLarge = Number(request.headers['content-length'] ?? 0) > MOST_DISCARDED;
  response.writeHead(401, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...(isLarge && { connection: 'close' }),
  });
  response.end(body);
});
server.once('close', () => heap.splice(0));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
