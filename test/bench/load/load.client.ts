import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { needsId, requestTexts } from './request-texts.js';
import { PURCHASE_ID, type Load, type LoadAnswer, type LoadResult } from './visit.js';

// The load generator, a process of its own. On a machine with few cores it competes with the server for processor time, so it
// does as little as possible: it writes prepared requests, and reads only the length and the status of an answer, and the id of
// a purchase if a request needs it. autocannon needs twice this time for a short answer and four times for a list.

/** The longest head of an answer. */
const HEAD = 4_096;
const NANOSECONDS = 1_000_000;

/** All connections read into one buffer: what it holds is used up before the next read. */
const received = Buffer.allocUnsafe(256 * 1_024);

/** One connection of the closed loop. */
class Connection {
  readonly #socket: Socket;
  #next = 0;
  #value = 0;
  #id = '';
  #sentAt = 0;
  /** Bytes of the answer that are still to come. */
  #left = 0;
  /** What came of an answer whose id is needed. */
  #text = '';

  constructor(
    port: number,
    private readonly turn: Turn,
  ) {
    const onread = { buffer: received, callback: (bytes: number) => this.#receive(bytes) };
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread }, () => this.#begin());
    this.#socket.on('error', (error) => turn.fail(error));
    this.#socket.on('close', () => turn.ended());
  }

  /** Begins a visit, or ends if the turn is over. */
  #begin(): void {
    const value = this.turn.nextValue();
    if (value === undefined) {
      this.#socket.end();
      return;
    }
    this.#next = 0;
    this.#value = value;
    this.#send();
  }

  #send(): void {
    const request = this.turn.texts.of(this.#next, this.#value, this.#id);
    if (this.#next === 0 || !this.turn.wholeVisits) this.#sentAt = performance.now();
    this.#socket.write(request);
  }

  #receive(bytes: number): boolean {
    if (this.#left === 0 && !this.#readHead(bytes)) return true;
    this.#left -= bytes;
    if (this.turn.needsIds) this.#text += received.toString('latin1', 0, bytes);
    if (this.#left > 0) return true;
    const isLast = this.#next === this.turn.texts.length - 1;
    if (isLast || !this.turn.wholeVisits) this.turn.answered(performance.now() - this.#sentAt);
    if (this.turn.needsIds) {
      this.#id = this.turn.id.exec(this.#text)?.[1] ?? '';
      this.#text = '';
    }
    this.#next += 1;
    if (isLast) this.#begin();
    else this.#send();
    return true;
  }

  /** Reads how long the answer is. Every server under measurement sends a head in one piece. */
  #readHead(bytes: number): boolean {
    const head = received.toString('latin1', 0, Math.min(bytes, HEAD));
    const end = head.indexOf('\r\n\r\n');
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    if (!head.startsWith('HTTP/1.1 200') || end < 0 || length === undefined) {
      this.turn.fail(new Error(`unexpected answer: ${received.toString('utf8', 0, Math.min(bytes, 1_000))}`));
      this.#socket.destroy();
      return false;
    }
    this.#left = end + 4 + Number(length);
    return true;
  }
}

/** One run of the load. */
class Turn {
  readonly result: Promise<LoadResult>;
  readonly texts;
  /** Whether a request names the purchase of the answer before it. */
  readonly needsIds: boolean;
  readonly id: RegExp;
  readonly wholeVisits: boolean;
  readonly #latencies = createHistogram();
  readonly #settle = Promise.withResolvers<LoadResult>();
  readonly #began = performance.now();
  readonly #cpu = process.cpuUsage();
  #requests = 0;
  #lastAt = this.#began;
  #value = -1;
  #open: number;

  constructor(private readonly load: Load) {
    this.result = this.#settle.promise;
    this.texts = requestTexts(load.visit);
    const { requests, id = PURCHASE_ID, whole = false } = load.visit;
    this.needsIds = requests.some(needsId);
    this.id = new RegExp(id);
    this.wholeVisits = whole;
    this.#open = load.connections;
    const { ports, connections } = load;
    for (let made = 0; made < connections; made += 1) new Connection(ports[made % ports.length] ?? 0, this);
  }

  /** The number of the value for a new visit; undefined if no visit begins any more. */
  nextValue(): number | undefined {
    if (performance.now() - this.#began >= this.load.seconds * 1_000) return undefined;
    const { values = [''], once = false } = this.load.visit;
    this.#value += 1;
    if (this.#value < values.length) return this.#value;
    if (once) return undefined;
    this.#value = 0;
    return 0;
  }

  answered(milliseconds: number): void {
    this.#requests += 1;
    this.#latencies.record(Math.max(1, Math.round(milliseconds * NANOSECONDS)));
    this.#lastAt = performance.now();
  }

  fail(error: Error): void {
    this.#settle.reject(error);
  }

  ended(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#settle.resolve({
      requests: this.#requests,
      seconds: (this.#lastAt - this.#began) / 1_000,
      p50: this.#latencies.percentile(50) / NANOSECONDS,
      p99: this.#latencies.percentile(99) / NANOSECONDS,
      cpu: (user + system) / this.#requests,
    });
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
