import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { addressOf, type Bare } from './bare-request.js';
import { Meter } from './prices.js';

const SERVER = fileURLToPath(new URL('./bare.child.js', import.meta.url));
/** Requests until its code is fully compiled. */
const UNTIL_WARM = 1_000;

/** A server that only answers: the yardstick for the cost of a request. */
export class BareServer {
  readonly #meter: Meter;
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(
    private readonly child: ChildProcess,
    private readonly port: number,
  ) {
    this.#meter = new Meter(child.pid ?? 0);
  }

  static async start(): Promise<BareServer> {
    const child = spawn(process.execPath, [SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [output] = (await once(child.stdout, 'data')) as [Buffer];
    return new BareServer(child, Number(output.toString()));
  }

  /** Milliseconds of its CPU to answer a request: the mean over `count`. */
  async costOf(asked: Bare, count: number): Promise<number> {
    const body = asked.body === undefined ? undefined : Buffer.from(asked.body);
    await this.#meter.of(UNTIL_WARM, (nth) => this.#ask(asked, body, nth));
    return this.#meter.of(count, (nth) => this.#ask(asked, body, nth));
  }

  end(): void {
    this.#agent.destroy();
    this.child.kill('SIGKILL');
  }

  #ask({ method, path, headers }: Bare, body: Buffer | undefined, nth: number): Promise<void> {
    return new Promise((resolve) => {
      const options = { host: '127.0.0.1', port: this.port, method, path, headers, localAddress: addressOf(nth) };
      const asking = request({ ...options, agent: this.#agent }, (response) => {
        response.resume().once('close', () => resolve());
      });
      asking.once('error', () => resolve());
      asking.end(body);
    });
  }
}
