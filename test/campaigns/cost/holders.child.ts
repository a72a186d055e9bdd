/**
 * Opens connections that send and never read: `holders.child.js <port> <connections> <addresses> <bytes> <path>`. Each sends this
 * many bytes of requests for the path, at least one. Every second it opens some of them anew: a caller who does not read never
 * learns that the service has closed a connection. SIGTERM ends it.
 */
import { connect, type Socket } from 'node:net';
import { getPriority, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

// It stands for other machines, so its target comes first at the processor.
setPriority(Math.min(19, getPriority() + 10));

const [port = 0, connections = 0, addresses = 1, bytes = 0] = process.argv.slice(2).map(Number);
const path = process.argv[6] ?? '/';
/** The part of the connections that it opens anew every second. */
const ANEW = 1 / 20;
/** Connections that begin within 20 ms: 2000 a second, somewhat less than one core accepts. */
const AT_ONCE = 40;

const request = `GET ${path} HTTP/1.1\r\nhost: holdfast\r\n\r\n`;
const sent = Buffer.from(request.repeat(Math.max(1, Math.floor(bytes / request.length))));
const sockets: Socket[] = [];

function hold(connection: number): void {
  sockets[connection]?.destroy();
  const localAddress = `127.0.1.${1 + (connection % addresses)}`;
  const socket = connect({ port, host: '127.0.0.1', localAddress }, () => {
    socket.pause();
    socket.write(sent);
  });
  socket.on('error', () => undefined);
  sockets[connection] = socket;
}

for (let connection = 0; connection < connections; connection += 1) {
  hold(connection);
  if (connection % AT_ONCE === AT_ONCE - 1) await pause(20);
}
for (let next = 0; ;) {
  await pause(1_000);
  const until = next + Math.ceil(connections * ANEW);
  for (; next < until; next += 1) hold(next % connections);
}
