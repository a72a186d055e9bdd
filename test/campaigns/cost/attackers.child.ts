/**
 * Sends requests from as many addresses of this machine as connections: `attackers.child.js <port> <connections> <per second>`,
 * with the requests as a JSON list on standard input, in turn; 0 per second sends as fast as they are answered. It goes on until
 * it is told to end (SIGTERM), and then prints the number of answers, as JSON.
 */
import { Agent, request } from 'node:http';
import { getPriority, setPriority } from 'node:os';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { addressOf, type Bare } from './bare-request.js';

// It stands for other machines, so its target comes first at the processor.
setPriority(Math.min(19, getPriority() + 10));

const [port = 0, connections = 0, perSecond = 0] = process.argv.slice(2).map(Number);
const requests = (await json(process.stdin)) as readonly Bare[];
const agent = new Agent({ keepAlive: true });
let sent = 0;
let answered = 0;
let going = true;
process.on('SIGTERM', () => {
  going = false;
  process.stdout.write(`${answered}\n`, () => process.exit(0));
});
process.stdout.write('ready\n');

/** Sends one request, and waits for the end of the answer or of the connection. */
function attack({ method, path, headers, body }: Bare, localAddress: string): Promise<void> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, method, path, headers, agent, localAddress };
    const attacking = request(options, (response) => {
      answered += 1;
      response.resume().once('close', () => resolve());
    });
    attacking.once('error', () => resolve());
    attacking.end(body);
  });
}

async function go(connection: number): Promise<void> {
  const every = perSecond === 0 ? 0 : (1000 * connections) / perSecond;
  await pause((every * connection) / connections);
  for (let next = performance.now(); going;) {
    const turn = requests[(sent += 1) % requests.length];
    if (turn === undefined) return;
    await attack(turn, addressOf(connection));
    next = Math.max(next + every, performance.now() - every);
    await pause(Math.max(0, next - performance.now()));
  }
}

await Promise.all(Array.from({ length: connections }, (_, connection) => go(connection)));
