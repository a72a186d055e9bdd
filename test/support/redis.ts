import { randomBytes } from 'node:crypto';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from './free-port.js';
import { tempFolder } from './temp-folder.js';

const GIVEN = process.env['REDIS_URL'];
const INSTALLED = spawnSync('redis-server', ['--version'], { encoding: 'utf8' });
const PATIENCE = 240_000;

/**
 * The Redis of the tests: that of `REDIS_URL`, which stays running with everything that others keep in it, or one of their own
 * from a `redis-server` on the PATH. `none`: the suites are skipped.
 */
export const REDIS: 'given' | 'own' | 'none' = GIVEN !== undefined ? 'given' : INSTALLED.status === 0 ? 'own' : 'none';

/** For the titles of suites: what they ran against. */
export const REDIS_SHOWN = {
  given: 'the Redis of REDIS_URL',
  own: `redis-server ${/v=(\S+)/.exec(INSTALLED.stdout)?.[1] ?? ''}`,
  none: 'no Redis',
}[REDIS];

if (REDIS === 'none') process.stderr.write('SKIPPED: neither REDIS_URL is set nor a redis-server is on the PATH\n');
if (REDIS === 'given') process.stderr.write('LEFT OUT: tests that stop or empty Redis need one of their own\n');

/** A Redis for a test. */
export class TestRedis {
  /** Separates tests that share a server. */
  readonly prefix = `holdfast-test-${randomBytes(6).toString('hex')}`;
  readonly #folder = tempFolder();
  #child: ChildProcess | undefined;

  private constructor(
    readonly url: string,
    private readonly port: number,
    private readonly settings: readonly string[],
  ) {}

  /** That of `REDIS_URL`, or a new one that keeps nothing on disk. */
  static async start(): Promise<TestRedis> {
    return GIVEN === undefined ? TestRedis.own() : new TestRedis(GIVEN, 0, []);
  }

  /** A new one in any case, with settings such as `--requirepass`. */
  static async own(...settings: readonly string[]): Promise<TestRedis> {
    const port = await freePort();
    const redis = new TestRedis(`redis://127.0.0.1:${port}`, port, settings);
    await redis.startAgain();
    return redis;
  }

  /** Of the process; undefined if it was not started here. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts a stopped one on its port, empty. */
  async startAgain(): Promise<void> {
    const args = ['--port', `${this.port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const child = spawn('redis-server', [...args, '--dir', this.#folder.path, ...this.settings], { stdio: 'ignore' });
    this.#child = child;
    const client = new Redis(this.port, '127.0.0.1', { retryStrategy: () => 20, maxRetriesPerRequest: null });
    client.on('error', () => undefined);
    const answered = client.echo('').catch(() => undefined);
    const failed = Promise.race([once(child, 'exit'), pause(PATIENCE, undefined, { ref: false })]).then(() => 'failed');
    const outcome = await Promise.race([answered, failed]);
    client.disconnect();
    if (outcome === 'failed') throw new Error('redis-server did not start');
  }

  /** Stops it as an operator does. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }

  /** A connection of the test's own, which the test must end. */
  client(): Redis {
    return new Redis(this.url);
  }

  async flushAll(): Promise<void> {
    await this.#once((client) => client.flushall());
  }

  /** The keys of this test. */
  keys(): Promise<string[]> {
    return this.#once((client) => client.keys(`${this.prefix}*`));
  }

  /** Ends it, or removes this test's keys from a given one. */
  async end(): Promise<void> {
    if (this.#child !== undefined) await this.stop();
    else if (GIVEN === this.url) {
      const keys = await this.keys();
      if (keys.length > 0) await this.#once((client) => client.del(...keys));
    }
    this.#folder.remove();
  }

  async #once<T>(ask: (client: Redis) => Promise<T>): Promise<T> {
    const client = this.client();
    try {
      return await ask(client);
    } finally {
      client.disconnect();
    }
  }
}
