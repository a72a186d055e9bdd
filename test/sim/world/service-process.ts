import type { CommandBus as Bus } from '@nestjs/cqrs';
import { CommandBus } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { newContext, Unavailable } from '#eventsourcing';
import { Proxies } from '#http';
import { IssueToken } from '#operations';
import {
  type Config,
  createHttpApp,
  openService,
  readConfig,
  type Service,
  type Surroundings,
  untilReady,
} from '#platform';
import type { Skew } from '../core/machine.js';
import { Life } from './life.js';
import type { World } from './world.js';

/** A request as a client sends it. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The API key or the operator's token. */
  readonly credential: { readonly key: string } | { readonly token: string };
  readonly body?: object;
  /** A body of several lines of JSON. */
  readonly lines?: readonly object[];
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The settings of a simulated process. */
export type Environment = Readonly<Record<string, string>>;

/** The token of the operator in every simulated world. */
export const OPERATOR = 'an-operator-of-the-simulated-world';

/** How often a process looks again at a log that it refuses, in milliseconds. */
const LOOK_AGAIN_EVERY = 2_000;
/** Milliseconds between two tries of a start while something is unavailable. */
const TRY_AGAIN_EVERY = 500;

/** Everything of one start. */
interface Running {
  readonly life: Life;
  readonly service: Service;
  /** What answers requests. A worker answers only health checks, and nobody asks it here. */
  readonly app: NestFastifyApplication | undefined;
}

/** A process of the product in a simulated world: it starts, answers, ends and starts again. */
export class ServiceProcess {
  #life: Life | undefined;
  #running: Running | undefined;
  #accepted: ReadonlySet<string> = new Set();

  constructor(
    readonly world: World,
    readonly name: string,
    private readonly settings: {
      readonly environment: Environment;
      /** Which program it runs; an API by default, which does everything by itself unless the environment names all servers. */
      readonly program?: 'api' | 'worker';
      readonly around: (life: Life) => Surroundings;
      readonly skew: Skew;
      readonly logger: Logger;
    },
  ) {}

  /** Whether it answers requests. */
  get isUp(): boolean {
    return this.#running !== undefined;
  }

  /** Whether it is ready, runs, and has found nothing wrong. */
  get isWell(): boolean {
    const service = this.service;
    if (service === undefined || (this.#life?.pausedUntil ?? 0) > this.world.scheduler.now) return false;
    return service.initialized && service.guard.findings.length === 0;
  }

  /** Whether an operator must start it again: its disk has failed, or its health reports a finding about a stream. */
  get needsRestart(): boolean {
    const guard = this.service?.guard;
    const foundInStream = guard?.refused === false && guard.findings.length > 0;
    return this.#life?.needsRestart === true || foundInStream;
  }

  get isDown(): boolean {
    return this.#life === undefined;
  }

  /** The parts of the process while it runs. */
  get service(): Service | undefined {
    return this.#running?.service;
  }

  /** Lets an operator accept findings: each start from now on has them in ACCEPT. */
  accept(codes: ReadonlySet<string>): void {
    this.#accepted = codes;
  }

  /** Resolves when it is ready. It never resolves if the process is killed meanwhile. @throws what a start throws */
  async start(): Promise<void> {
    const { environment, program, around, skew, logger } = this.settings;
    const life = new Life(this.world, this.name, skew);
    this.#life = life;
    this.world.trace.tell(this.name, 'starts');
    try {
      const accepting = this.#accepted.size === 0 ? {} : { ACCEPT: [...this.#accepted].join(',') };
      const config = readConfig({ ...environment, ...accepting }, program);
      const service = await openService(config, logger, around(life));
      const app = service.role === 'worker' ? undefined : await this.#listen(service, config);
      this.#running = { life, service, app };
      void this.#untilRightAgain(this.#running);
      await this.#prepareUnlessRefused(this.#running, logger);
    } catch (error) {
      this.world.trace.tell(this.name, `does not start: ${String(error)}`);
      if (this.#life === life) this.crash();
      throw error;
    }
  }

  /** Ends it without warning. */
  crash(): void {
    const life = this.#life;
    if (life === undefined) return;
    this.#life = undefined;
    this.#running = undefined;
    life.crash();
    this.world.trace.tell(this.name, 'is gone');
  }

  /** Calls when this start of it has ended. @returns how to leave */
  whenItEnds(end: () => void): () => void {
    return this.#life?.onCrash(end) ?? (() => undefined);
  }

  /** Something has arrived at the process; if it stands still, it handles that later. */
  receive(handle: () => void): void {
    this.world.scheduler.after(0, handle, this.#life);
  }

  /** Lets it stand still. */
  pause(milliseconds: number): void {
    this.#life?.pause(milliseconds);
    this.world.trace.tell(this.name, `stands still for ${milliseconds.toFixed(0)} ms`);
  }

  /** Ends it in order. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.world.trace.tell(this.name, 'stops');
    await running.app?.close();
    await running.service.close();
    // It may have been killed meanwhile.
    if (this.#running === running) this.crash();
  }

  /**
   * Hands over a request that has arrived at the process.
   * @returns its answer; never, if the process ends first
   */
  async answer({ method, path, credential, body, lines, headers = {} }: Request): Promise<Answer> {
    const running = this.#running;
    if (running?.app === undefined) throw new Error('the process does not run, or answers nobody');
    const named =
      'key' in credential ? { 'x-api-key': credential.key } : { authorization: `Bearer ${credential.token}` };
    const {
      statusCode,
      headers: answered,
      payload,
      raw,
    } = await running.app.inject({
      method,
      url: path,
      headers: { ...named, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      ...(lines === undefined ? {} : { payload: lines.map((line) => JSON.stringify(line)).join('\n') }),
    });
    // A body that was refused unread: the connection is done with it.
    raw.req.emit('close');
    if (running.life.dead) return new Promise<never>(() => undefined);
    return { status: statusCode, headers: answered as Record<string, string>, text: payload };
  }

  /** Builds what answers requests, which takes no time of the world. */
  async #listen(
    service: Service,
    { accessTokensSunset, corsOrigins, dataDir, writeBytesPerSecond }: Config,
  ): Promise<NestFastifyApplication> {
    const { scheduler } = this.world;
    const reach = {
      dataDir,
      certificate: undefined,
      proxies: new Proxies(),
      rateLimit: undefined,
      writeBytesPerSecond,
      corsOrigins,
      accessTokensSunset,
    };
    const app = await scheduler.standStill(createHttpApp(service, this.settings.logger, reach));
    const server = app.getHttpAdapter().getInstance();
    // An injected request has a socket that cannot be destroyed; a real connection only ends with it.
    server.addHook('onRequest', ({ raw }, _reply, done) => {
      const socket = raw.socket as { destroy?: () => void };
      socket.destroy ??= () => undefined;
      done();
    });
    await scheduler.standStill(Promise.resolve(server.ready()));
    return app;
  }

  /** A process whose log is refused stays, and says so. */
  async #prepareUnlessRefused(running: Running, logger: Logger): Promise<void> {
    const { service } = running;
    try {
      if (!service.guard.refused) await this.#prepare(running, logger);
    } catch (error) {
      if (!(error instanceof Unavailable && service.guard.refused)) throw error;
    }
    this.world.trace.tell(this.name, service.guard.refused ? 'refuses the log' : 'is ready');
  }

  /** Starts again when a log that was refused is right again, as the real process does. */
  async #untilRightAgain(running: Running): Promise<void> {
    const { life, service } = running;
    do {
      await life.machine.time.pause(LOOK_AGAIN_EVERY);
    } while (!(service.guard.refused && (await service.isRightAgain().catch(() => false))));
    if (this.#running === running) await this.stop();
  }

  async #prepare({ life, service, app }: Running, logger: Logger): Promise<void> {
    if (app !== undefined) {
      const context = newContext(service.engine, 'system:first-start');
      const commands = app.get<Bus>(CommandBus);
      const issue = (): Promise<unknown> => commands.execute(new IssueToken('operator', 'operator', OPERATOR, context));
      await whileUnavailable(issue, service, life);
    }
    service.startWork();
    await untilReady(service, logger);
  }
}

/** Tries again while the log or a view is unavailable, as the real start does. @throws what else it throws */
async function whileUnavailable(work: () => Promise<unknown>, { guard }: Service, { machine }: Life): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof Unavailable) || guard.refused) throw error;
      await machine.time.pause(TRY_AGAIN_EVERY);
    }
  }
}
