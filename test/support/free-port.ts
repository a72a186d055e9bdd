import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Ports below those that the system gives to connections and to servers without a port of their own: between the question and the
 * start of a server, nobody else takes such a port. Each of Jest's workers has a range.
 */
const FIRST = 12_000;
const [RANGES, PORTS] = [8, 2_000];
const given = new Set<number>();

/** A port that is free now, and that no other spec gets at the same time. */
export async function freePort(): Promise<number> {
  const first = FIRST + (Number(process.env['JEST_WORKER_ID'] ?? 0) % RANGES) * PORTS;
  for (;;) {
    const port = first + randomInt(PORTS);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
