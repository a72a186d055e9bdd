import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { join } from 'node:path';
import { engineVariables, isCluster, sharedEngines, sharedEnvironment, type SharedEngines } from './cluster.js';
import { freePort } from './free-port.js';
import { newDataDir, Program, removeDataDir } from './program.js';

export { discardLeftovers, newDataDir } from './program.js';

const API = 'apps/api/main.js';
const WORKER = 'apps/worker/main.js';
/** The numbers of APIs and workers in a cluster. */
const EACH = 2;
/** Milliseconds: a start may have to rebuild all views from a long log. */
const START_WITHIN = 240_000;

/** A whole answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
  /** The bytes as UTF-8. */
  readonly text: string;
  /** The parsed body; undefined when it is not JSON. */
  readonly body: Json;
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
export type Json = any;

export interface AskOptions {
  /** Sent as X-Api-Key. */
  readonly key?: string;
  /** Sent as Authorization: Bearer. */
  readonly token?: string;
  /** Sent as Authorization: Basic, `user:password`. */
  readonly basic?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string or bytes are sent as they are. */
  readonly body?: unknown;
  /** The URL of one of its processes; by default the API whose turn it is. */
  readonly at?: string;
  /** The address of this machine that the request comes from, such as 127.0.0.2. */
  readonly from?: string;
}

/** A partner with one key. */
export interface TestPartner {
  readonly id: string;
  readonly key: string;
  readonly keyId: string;
}

/** The addresses of a service, and its processes. */
interface Parts {
  /** The first is the service's own. */
  readonly urls: readonly string[];
  readonly apis: readonly Program[];
  readonly workers: readonly Program[];
  /** Other programs that they need. */
  readonly others: readonly Program[];
}

/**
 * A service that tests call over real HTTP: one process on a data folder; or, in `npm run test:cluster`, two APIs in turn, and
 * two workers.
 */
export class RunningService {
  readonly #agent: Agent;
  /** The last position of an answer: in a cluster, the next API must have seen it. */
  #written = 0n;
  #asked = 0;

  private constructor(
    private readonly parts: Parts,
    readonly dataDir: string,
    /** The certificate to trust, if the service ends TLS itself. */
    ca: string | undefined,
  ) {
    const pool = { keepAlive: true, maxSockets: 512 };
    this.#agent = ca === undefined ? new Agent(pool) : new TlsAgent({ ...pool, ca });
  }

  /**
   * Starts a service and waits until it is ready. Without `dataDir` it gets a new folder. By default without demo and with the
   * test clock.
   * @param eachApi the environment that only the APIs of a cluster get, by their number
   * @param prefix a command to run it under, such as strace
   * @param ownProcess its process has not run other services before; also so with a prefix, a log, or settings for Node itself
   * @param log an open file for its log, which is then not in `printed`
   * @param root the folder of the checkout whose service it is, if not this one; in a process of its own
   * @param unready wait only until it listens, not until it is ready
   * @param engines the servers to run on; by default those of this test run
   * @param apis the number of APIs in a cluster
   * @param workers the number of workers in a cluster
   * @param ca the certificate of the authority, in PEM, if the service ends TLS itself
   */
  static async start(
    options: {
      readonly dataDir?: string;
      readonly env?: Readonly<Record<string, string>>;
      readonly eachApi?: readonly Readonly<Record<string, string>>[];
      readonly prefix?: readonly string[];
      readonly log?: number;
      readonly root?: string;
      readonly ownProcess?: boolean;
      readonly unready?: boolean;
      readonly engines?: SharedEngines | undefined;
      readonly apis?: number;
      readonly workers?: number;
      readonly ca?: string;
    } = {},
  ): Promise<RunningService> {
    const dataDir = options.dataDir ?? newDataDir();
    const env = { DATA_DIR: dataDir, DEMO: 'false', TEST_CLOCK: 'true', ...options.env };
    const { engines = sharedEngines() } = options;
    const parts =
      engines !== undefined && isCluster(engines)
        ? await startCluster(dataDir, engines, env, options)
        : await startAlone({ ...(engines && engineVariables(dataDir, engines)), ...env }, options);
    const service = new RunningService(parts, dataDir, options.ca);
    if (options.unready !== true) await service.ready();
    return service;
  }

  /** Its address as it prints it; of a cluster, that of its first API. */
  get url(): string {
    return this.parts.urls[0] ?? '';
  }

  /** The address of each of its APIs. */
  get urls(): readonly string[] {
    return this.parts.urls;
  }

  /** The process that answers; of a cluster, the first. */
  get child(): Program['child'] {
    const [api] = this.parts.apis;
    if (api === undefined) throw new Error('a service has an API');
    return api.child;
  }

  /** The processes that answer, those that work beside them, and those that both need. */
  get processes(): Omit<Parts, 'urls'> {
    return this.parts;
  }

  /** Everything that it printed: standard output and logs. */
  get printed(): string {
    const { apis, workers } = this.parts;
    return [...apis, ...workers].map(({ printed }) => printed).join('');
  }

  /** Waits until one of its processes has printed this text. */
  async prints(text: string): Promise<void> {
    const { apis, workers } = this.parts;
    await Promise.any([...apis, ...workers].map((program) => program.prints(text)));
  }

  /** Waits until every API prints that it is ready. @param within milliseconds, for each of them */
  async ready(within = START_WITHIN): Promise<void> {
    for (const [index, api] of this.parts.apis.entries()) {
      const url = this.parts.urls[index] ?? '';
      await api.waitFor(/ready at (\S+)/, within, async () => {
        const answer = await this.ask('GET', '/health/ready', { at: url }).catch(() => undefined);
        return answer?.status === 200;
      });
    }
  }

  get operatorToken(): string {
    return readFileSync(join(this.dataDir, 'operator.token'), 'utf8').trim();
  }

  get auditorToken(): string {
    return readFileSync(join(this.dataDir, 'auditor.token'), 'utf8').trim();
  }

  /** Sends one request; in a cluster to the next API. Rejects when the connection breaks. */
  ask(method: string, path: string, options: AskOptions = {}): Promise<Answer> {
    const { key, token, basic, body } = options;
    const { urls } = this.parts;
    const base = options.at ?? urls[this.#asked++ % urls.length] ?? '';
    const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
    const sent = isRaw ? body : JSON.stringify(body);
    const headers: Record<string, string> = {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(basic === undefined ? {} : { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
      ...(sent === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(sent)) }),
      ...(urls.length > 1 && this.#written > 0n ? { 'holdfast-position': this.#written.toString() } : {}),
      ...options.headers,
    };
    const send = base.startsWith('https:') ? tlsRequest : httpRequest;
    return new Promise((resolvePromise, reject) => {
      const from = options.from === undefined ? {} : { localAddress: options.from };
      const request = send(new URL(path, base), { method, headers, agent: this.#agent, ...from }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const received = bytes.toString('utf8');
          const position = BigInt(response.headers['holdfast-position']?.toString() ?? 0);
          if (position > this.#written) this.#written = position;
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
      request.end(sent);
    });
  }

  /** The health with its details; only whether it is ready while there is no token. */
  health(options: Pick<AskOptions, 'at'> = {}): Promise<Answer> {
    const file = join(this.dataDir, 'auditor.token');
    const token = existsSync(file) ? { token: readFileSync(file, 'utf8').trim() } : {};
    return this.ask('GET', '/health/ready', { ...token, ...options });
  }

  /** Forgets its own position: the log may have lost it. */
  forgetPosition(): void {
    this.#written = 0n;
  }

  /** The headers of a GET that sees everybody's writes. */
  get afterAllWrites(): Readonly<Record<string, string>> {
    return { 'holdfast-position': this.#written.toString() };
  }

  /** A partner's GET that sees everybody's writes. */
  look(path: string, key: string, options: AskOptions = {}): Promise<Answer> {
    return this.ask('GET', path, { key, headers: this.afterAllWrites, ...options });
  }

  /** Sends a request as operator, and expects it to succeed. It is repeated while a busy machine answers 503. */
  async operate(method: string, path: string, body?: unknown): Promise<Json> {
    const headers: Record<string, string> = method === 'GET' ? {} : { 'idempotency-key': randomUUID() };
    const answer = await this.#repeated(method, `/operators${path}`, { token: this.operatorToken, body, headers });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** Creates a partner, and repeats the call while a busy machine answers 503. */
  async newPartner(slug: string): Promise<TestPartner> {
    const call: AskOptions = {
      token: this.operatorToken,
      body: { name: slug, slug },
      headers: { 'idempotency-key': randomUUID() },
    };
    const { status, body, text } = await this.#repeated('POST', '/operators/partners', call);
    // A 503 may be the answer that would have shown the secrets of a partner who exists: they get a new key.
    if (status === 409 && body.error_type === 'secrets_lost') {
      const { partners } = await this.operate('GET', '/partners?per_page=1000');
      const { id } = (partners as Json[]).find((each) => each.slug === slug);
      const { api_key, key_id } = await this.operate('POST', `/partners/${id}/keys`);
      return { id, key: api_key, keyId: key_id };
    }
    if (status !== 200) throw new Error(`POST /partners: ${status} ${text}`);
    return { id: body.partner.id, key: body.api_key, keyId: body.key_id };
  }

  /**
   * An in-flight deal in region `testland`, on sale since a day, for nine more, or until its vouchers expire if that is earlier
   * (ruling I5); `attributes` add and replace.
   */
  async newDeal(slug: string, attributes: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const { now } = await this.operate('GET', '/clock');
    const at = (days: number): string => new Date(Date.parse(now) + days * 86_400_000).toISOString();
    await this.operate('PUT', '/regions/testland', { name: 'Testland', time_zone: 'America/New_York' });
    const { expires_at } = attributes;
    const isEarly = typeof expires_at === 'string' && Date.parse(expires_at) < Date.parse(at(9));
    await this.operate('PUT', `/deals/${slug}`, {
      title: `Deal ${slug}`,
      region_id: 'testland',
      start_at: at(-1),
      end_at: isEarly && attributes['expiration_days'] === undefined ? expires_at : at(9),
      current_price: 1000,
      value: 2000,
      stock: 100,
      image: '/images/deal.jpg',
      ...attributes,
    });
    await this.operate('POST', `/deals/${slug}/transitions`, { to: 'in-review' });
    await this.operate('POST', `/deals/${slug}/transitions`, { to: 'approved' });
  }

  /** Creates a user, and repeats the call while a busy machine answers 503. */
  async newUser(key: string, email: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const call: AskOptions = { key, body: { email, ...more }, headers: { 'idempotency-key': randomUUID() } };
    const answer = await this.#repeated('POST', '/users', call);
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

  /** `kill -9`. The data stays. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Waits until the process that answers has ended by itself. */
  async ended(): Promise<void> {
    await this.parts.apis[0]?.ended();
    this.#agent.destroy();
  }

  /** Stops it and removes its data. */
  async discard(): Promise<void> {
    await this.stop();
    removeDataDir(this.dataDir);
  }

  /** Sends a request up to 30 times more while the answer is 503. */
  async #repeated(method: string, path: string, call: AskOptions): Promise<Answer> {
    let answer = await this.ask(method, path, call);
    for (let repeats = 0; answer.status === 503 && repeats < 30; repeats += 1)
      answer = await this.ask(method, path, call);
    return answer;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const { apis, workers, others } = this.parts;
    await Promise.all([...apis, ...workers].map((program) => program.end(signal)));
    await Promise.all(others.map((program) => program.end(signal)));
    this.#agent.destroy();
  }
}

async function startAlone(
  own: Readonly<Record<string, string>>,
  {
    ownProcess = false,
    prefix,
    log,
    root,
  }: {
    readonly ownProcess?: boolean;
    readonly prefix?: readonly string[];
    readonly log?: number;
    readonly root?: string;
  },
): Promise<Parts> {
  const env = { PORT: '0', ...own };
  const inHost = !ownProcess && prefix === undefined && log === undefined && root === undefined;
  const api = inHost ? Program.startInHost(API, env) : Program.start(API, env, prefix, log, root);
  return { apis: [api], urls: [await api.waitFor(/listens at (\S+)/, START_WITHIN)], workers: [], others: [] };
}

async function startCluster(
  dataDir: string,
  engines: SharedEngines,
  own: Readonly<Record<string, string>>,
  {
    eachApi = [],
    apis: answering = Math.max(EACH, eachApi.length),
    workers: count = EACH,
    log,
  }: {
    readonly eachApi?: readonly Readonly<Record<string, string>>[];
    readonly apis?: number;
    readonly workers?: number;
    readonly log?: number;
  },
): Promise<Parts> {
  const shared = await sharedEnvironment(dataDir, engines, own);
  const scheme = own['TLS_CERT'] === undefined ? 'http' : 'https';
  const address = own['HOST'] ?? '127.0.0.1';
  const host = address.includes(':') ? `[${address}]` : address;
  const ports = await Promise.all(
    Array.from({ length: answering }, async () => own['PORT'] ?? String(await freePort())),
  );
  const env = { PUBLIC_URL: `${scheme}://${host}:${ports[0]}`, ...shared.env, ...own };
  const start = (main: string, its: Readonly<Record<string, string>>): Program =>
    log === undefined ? Program.startInHost(main, its) : Program.start(main, its, [], log);
  const workers = Array.from({ length: count }, () => start(WORKER, { ...env, PORT: '0' }));
  const apis = ports.map((PORT, index) => start(API, { ...env, PORT, ...eachApi[index] }));
  const urls = await Promise.all(apis.map((api) => api.waitFor(/listens at (\S+)/, START_WITHIN)));
  return { apis, workers, urls, others: shared.programs };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
