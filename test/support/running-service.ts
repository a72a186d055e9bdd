import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const MAIN = resolve('dist/apps/api/main.js');
/** Milliseconds: a start may have to build all views anew from a long log. */
const START_WITHIN = 180_000;

/** An answer, whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
  /** The bytes as UTF-8. */
  readonly text: string;
  /** The parsed body; undefined when it is no JSON. */
  readonly body: Json;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers freely
export type Json = any;

export interface AskOptions {
  /** Sent as X-Api-Key. */
  readonly key?: string;
  /** Sent as Authorization: Bearer. */
  readonly token?: string;
  /** Sent as Authorization: Basic, `user:password`. */
  readonly basic?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
}

/** A partner with one key. */
export interface TestPartner {
  readonly id: string;
  readonly key: string;
  readonly keyId: string;
}

/** A service in a process of its own, asked over real HTTP. */
export class RunningService {
  readonly #agent: Agent;
  readonly #exit: Promise<unknown>;
  /** The last position that `operate` was told. */
  #operated = '0';

  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
    readonly dataDir: string,
    private readonly output: { text: string },
    /** The certificate that it is trusted by, where it ends TLS itself. */
    ca: string | undefined,
  ) {
    const pool = { keepAlive: true, maxSockets: 512 };
    this.#agent = ca === undefined ? new Agent(pool) : new TlsAgent({ ...pool, ca });
    this.#exit = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve();
  }

  /**
   * Starts a service and waits until it is ready. Without `dataDir` it gets a new folder. By default without demo and with
   * the test clock.
   * @param prefix a command to run it under, such as strace
   * @param ca where it ends TLS itself: the certificate of the authority that its own is from, in PEM
   */
  static async start(
    options: {
      readonly dataDir?: string;
      readonly env?: Readonly<Record<string, string>>;
      readonly prefix?: readonly string[];
      readonly ca?: string;
    } = {},
  ): Promise<RunningService> {
    const dataDir = options.dataDir ?? newDataDir();
    const program = [process.execPath, '--disable-warning=ExperimentalWarning', MAIN];
    const [command = process.execPath, ...args] = [...(options.prefix ?? []), ...program];
    const child = spawn(command, args, {
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        DATA_DIR: dataDir,
        DEMO: 'false',
        TEST_CLOCK: 'true',
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    const output = { text: '' };
    child.stdout.on('data', (chunk: Buffer) => (output.text += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output.text += chunk.toString()));
    const deadline = Date.now() + START_WITHIN;
    let service: RunningService | undefined;
    for (;;) {
      const url = /ready at (\S+)/.exec(output.text)?.[1];
      if (url !== undefined) {
        service ??= new RunningService(child, url, dataDir, output, options.ca);
        if ((await service.ask('GET', '/health/ready').catch(() => undefined))?.status === 200) return service;
      }
      if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
        child.kill('SIGKILL');
        throw new Error(`the service did not start: ${output.text}`);
      }
      await pause(20);
    }
  }

  /** Everything that it printed: standard output and logs. */
  get printed(): string {
    return this.output.text;
  }

  get operatorToken(): string {
    return readFileSync(join(this.dataDir, 'operator.token'), 'utf8').trim();
  }

  get auditorToken(): string {
    return readFileSync(join(this.dataDir, 'auditor.token'), 'utf8').trim();
  }

  /** Sends one request. Rejects when the connection breaks. */
  ask(method: string, path: string, options: AskOptions = {}): Promise<Answer> {
    const { key, token, basic, body } = options;
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const headers: Record<string, string> = {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(basic === undefined ? {} : { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
      ...(text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
      ...options.headers,
    };
    const send = this.url.startsWith('https:') ? tlsRequest : httpRequest;
    return new Promise((resolvePromise, reject) => {
      const request = send(new URL(path, this.url), { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const received = bytes.toString('utf8');
          resolvePromise({
            status: response.statusCode ?? 0,
            headers: response.headers as Answer['headers'],
            bytes,
            text: received,
            body: parsed(received),
          });
        });
      });
      request.on('error', reject);
      request.end(text);
    });
  }

  /** A partner's GET that sees everything that `operate` has written. */
  look(path: string, key: string, options: AskOptions = {}): Promise<Answer> {
    return this.ask('GET', path, { key, headers: { 'holdfast-position': this.#operated }, ...options });
  }

  /** Sends a request as operator, and expects it to succeed. */
  async operate(method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await this.ask(method, `/operators${path}`, { token: this.operatorToken, body });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    this.#operated = answer.headers['holdfast-position'] ?? this.#operated;
    return answer.body;
  }

  async newPartner(slug: string): Promise<TestPartner> {
    const made = await this.operate('POST', '/partners', { name: slug, slug });
    return { id: made.partner.id, key: made.api_key, keyId: made.key_id };
  }

  /** A deal in flight: of region `testland`, on sale since a day, for nine more; `attributes` add and replace. */
  async newDeal(slug: string, attributes: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const { now } = await this.operate('GET', '/clock');
    const at = (days: number): string => new Date(Date.parse(now) + days * 86_400_000).toISOString();
    await this.operate('PUT', '/regions/testland', { name: 'Testland', time_zone: 'America/New_York' });
    await this.operate('PUT', `/deals/${slug}`, {
      title: `Deal ${slug}`,
      region_id: 'testland',
      start_at: at(-1),
      end_at: at(9),
      current_price: 1000,
      value: 2000,
      stock: 100,
      image: '/images/deal.jpg',
      ...attributes,
    });
    await this.operate('POST', `/deals/${slug}/transitions`, { to: 'in-review' });
    await this.operate('POST', `/deals/${slug}/transitions`, { to: 'approved' });
  }

  async newUser(key: string, email: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const answer = await this.ask('POST', '/users', { key, body: { email, ...more } });
    if (answer.status !== 200) throw new Error(`POST /users: ${answer.status} ${answer.text}`);
    return answer.body.user_id;
  }

  /** Moves the service's time forward by so many seconds. */
  async forward(seconds: number): Promise<void> {
    const { now } = await this.operate('GET', '/clock');
    await this.operate('PUT', '/clock', { now: new Date(Date.parse(now) + seconds * 1000).toISOString() });
  }

  /** Stops it as an operator would, and waits. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** `kill -9`. The data folder stays. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Waits until the process has ended by itself. */
  async ended(): Promise<void> {
    await this.#exit;
    this.#agent.destroy();
  }

  /** Stops it and removes its data. */
  async discard(): Promise<void> {
    await this.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.child.kill(signal);
    await this.#exit;
    this.#agent.destroy();
  }
}

const children = new Set<ChildProcess>();
const folders = new Set<string>();

export function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  folders.add(folder);
  return folder;
}

/** Ends the services and removes the folders that a test which failed halfway has left. For a spec's `afterAll`. */
export async function discardLeftovers(): Promise<void> {
  for (const child of children) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
