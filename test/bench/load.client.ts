import { connect, type Socket } from 'node:net';
import type { Load, LoadAnswer, LoadResult, Visit } from './load.js';

// The load generator, a process of its own. On a machine with few cores it competes with the server for processor time, so it
// does as little as possible: it writes prepared requests and reads only the length, status and purchase id of an answer.

/** One connection of the closed loop. */
class Connection {
  readonly #socket: Socket;
  #received = '';
  #next = 0;
  #id = '';
  #sentAt = 0;

  constructor(
    load: Load,
    private readonly turn: Turn,
    private readonly visit: Visit,
  ) {
    this.#socket = connect({ port: load.port, host: '127.0.0.1', noDelay: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text) => this.#receive(text as unknown as string));
    this.#socket.on('error', (error) => turn.fail(error));
    this.#socket.on('close', () => turn.ended());
    this.#send();
  }

  #send(): void {
    const template = this.visit.requests[this.#next] ?? '';
    this.#sentAt = performance.now();
    this.#socket.write(
      template.replace('{id}', this.#id).replace('{user}', () => this.turn.nextUser()),
      'latin1',
    );
  }

  #receive(text: string): void {
    this.#received += text;
    const head = this.#received.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = /content-length: (\d+)/i.exec(this.#received)?.[1];
    if (!this.#received.startsWith('HTTP/1.1 200') || length === undefined) {
      this.turn.fail(new Error(`unexpected answer: ${this.#received.slice(0, 1000)}`));
      this.#socket.destroy();
      return;
    }
    if (this.#received.length < head + 4 + Number(length)) return;
    this.turn.latencies.push(performance.now() - this.#sentAt);
    this.#next += 1;
    if (this.#next < this.visit.requests.length) {
      this.#id = /"purchase_id":"([^"]+)"/.exec(this.#received)?.[1] ?? '';
    } else {
      this.#next = 0;
    }
    this.#received = '';
    if (this.#next === 0 && this.turn.over) this.#socket.end();
    else this.#send();
  }
}

/** One run of the load. */
class Turn {
  readonly latencies: number[] = [];
  readonly result: Promise<LoadResult>;
  readonly #began = performance.now();
  readonly #settle = Promise.withResolvers<LoadResult>();
  #open: number;
  #user = 0;

  constructor(private readonly load: Load) {
    this.result = this.#settle.promise;
    this.#open = load.connections;
    for (let made = 0; made < load.connections; made += 1) new Connection(load, this, load.visit);
  }

  get over(): boolean {
    return performance.now() - this.#began >= this.load.seconds * 1000;
  }

  nextUser(): string {
    return this.load.visit.users[this.#user++ % this.load.visit.users.length] ?? '';
  }

  fail(error: Error): void {
    this.#settle.reject(error);
  }

  ended(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    const seconds = (performance.now() - this.#began) / 1000;
    const sorted = Float64Array.from(this.latencies).sort();
    const at = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
    this.#settle.resolve({ requests: sorted.length, seconds, p50: at(0.5), p99: at(0.99) });
  }
}

process.on('message', (load: Load) => {
  const answer = (answer: LoadAnswer): void => void process.send?.(answer);
  new Turn(load).result.then(
    (result) => answer({ result }),
    (error: unknown) => answer({ error: String(error) }),
  );
});
// The bench has ended, so this process ends.
process.on('disconnect', () => process.exit(0));
