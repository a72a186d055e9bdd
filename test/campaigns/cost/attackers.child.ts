/**
 * Sends requests without waiting for their answers’ words: `attackers.child.js <port> <connections> <a second>`, the requests
 * one a line in base64 on standard input, in turns; 0 a second is as fast as they are answered. It goes on until it is
 * told to end (SIGTERM), and then says how many it sent.
 */
import { connect } from 'node:net';
import { getPriority, setPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

// It stands for other machines: what it attacks has the processor first.
setPriority(Math.min(19, getPriority() + 5));

const [port = 0, connections = 0, perSecond = 0] = process.argv.slice(2).map(Number);
const requests = (await text(process.stdin)).split('\n').map((line) => Buffer.from(line, 'base64'));
let sent = 0;
let going = true;
process.on('SIGTERM', () => {
  going = false;
  process.stdout.write(`${sent}\n`, () => process.exit(0));
});
process.stdout.write('ready\n');

/** Sends one request on a connection of its own, and waits for the answer’s end, or for the connection’s. */
function attack(number: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(requests[number % requests.length] ?? '');
      sent += 1;
    });
    socket.on('data', () => undefined);
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}

async function go(connection: number): Promise<void> {
  const every = perSecond === 0 ? 0 : (1000 * connections) / perSecond;
  await pause((every * connection) / connections);
  for (let next = performance.now(); going;) {
    await attack(sent);
    next = Math.max(next + every, performance.now() - every);
    await pause(Math.max(0, next - performance.now()));
  }
}

await Promise.all(Array.from({ length: connections }, (_, connection) => go(connection)));
