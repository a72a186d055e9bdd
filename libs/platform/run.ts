import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Server } from 'node:tls';
import { CommandBus } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { followCertificate, readCertificate } from './certificate.js';
import { readConfig, type Config } from './config.js';
import { endWhenTold } from './ending.js';
import type { Environment } from './environment.js';
import { DEMO_FILE, loadDemo, wantDemo } from './first-start/demo.js';
import { ensureTokens } from './first-start/tokens.js';
import { logEngineOf } from './engines/log-engines.js';
import { beginning, greeting, workerGreeting } from './greeting.js';
import { checkUsable } from './folder/usable.js';
import { createHttpApp } from './http-app.js';
import { addressOf, checkPlace, inWords } from './listening.js';
import { enginesOf } from './log/engines-of.js';
import { openProcessLog, type Program } from './log/process-log.js';
import { patiently } from './patience.js';
import { checkOpenFiles } from './open-files.js';
import { untilReady } from './readiness.js';
import { thisMachine } from '#adapters/machine';
import { toldOf, Unavailable } from '#eventsourcing';
import { openService, type Service } from './service.js';
import { version } from './version.js';

/** How often a first start looks whether its views are there, in milliseconds, and how often at most. */
const LOOK_EVERY = 20;
const LOOKS = 3_000;

/** How often a refused log is looked at again, in milliseconds. */
const LOOK_AGAIN_EVERY = 2_000;

const { time } = thisMachine;

/** A process that listens. */
interface Listening {
  readonly service: Service;
  readonly app: NestFastifyApplication;
  readonly url: string;
  readonly log: Logger;
}

/** Runs the service until it is told to stop (SIGINT, SIGTERM, SIGHUP). */
export async function run(environment: Environment): Promise<void> {
  const config = readConfig(environment);
  await live(config, 'api', async ({ service, app, url, log }) => {
    await prepare(config, service, app.get(CommandBus), log);
    const demo = existsSync(join(config.dataDir, DEMO_FILE));
    const { dataDir, role } = config;
    process.stdout.write(`${greeting({ url, dataDir, demo, alone: role === 'all', seconds: sinceStart() })}\n`);
    log.info({ url, seconds: Number(sinceStart()) }, 'ready');
  });
}

/** What was deleted may be in other hands. */
const NEW_TOKENS =
  'a new token was made for each file that was not there; what such a file held before opens everything still: GET /operators/tokens lists all, DELETE /operators/tokens/<id> revokes one';

/** What a start makes: the first tokens, the demo. */
async function prepare(config: Config, service: Service, commands: CommandBus, log: Logger): Promise<void> {
  const { engine } = service;
  const isFirst = (await patiently(engine.time, () => engine.log.head())) === 0n;
  if (config.role === 'all') {
    if (isFirst && config.demo && logEngineOf(config).demo) wantDemo(config.dataDir);
    // What a first start makes is looked for in the views, which a busy machine may take its time to begin.
    if (isFirst) await viewsLive(service);
  }
  const files = await patiently(engine.time, () => ensureTokens(engine, commands, config.dataDir));
  if (files.length > 0 && !isFirst) log.warn({ files }, NEW_TOKENS);
  if (config.demo) await patiently(engine.time, () => loadDemo(engine, commands, config.dataDir));
  service.startWork();
  await untilReady(service, log);
}

/** Runs a worker, which builds views and does what is due for APIs that share its engines, until it is told to stop. */
export async function runWorker(environment: Environment): Promise<void> {
  await live(readConfig(environment, 'worker'), 'worker', async ({ service, url, log }) => {
    service.startWork();
    await untilReady(service, log);
    process.stdout.write(`${workerGreeting({ url, seconds: sinceStart() })}\n`);
    log.info({ url, seconds: Number(sinceStart()) }, 'ready');
  });
}

/**
 * Listens, and begins to work; where the log is refused, all of it begins anew in the same place once what was there before
 * is back, so that nothing that was read of the wrong one is remembered anywhere.
 */
async function live(config: Config, program: Program, begin: (listening: Listening) => Promise<void>): Promise<void> {
  // Whatever is made from here on is for its owner alone.
  process.umask(0o077);
  checkOpenFiles();
  checkUsable(config.dataDir);
  await checkPlace(config);
  const log = await openProcessLog(program, config.logLevel, time);
  let there: Listening | undefined;
  endWhenTold(log, time, async () => {
    await there?.app.close();
    await there?.service.close();
  });
  for (let port = config.port; ;) {
    there = await listen({ ...config, port }, log);
    const { app, service } = there;
    ({ port } = app.getHttpServer().address() as AddressInfo);
    const begun = beginUnlessRefused(there, begin);
    await Promise.race([begun.then(() => new Promise<never>(() => undefined)), untilRightAgain(service)]);
    log.warn('what was there before is back: Holdfast starts anew, and goes on');
    there = undefined;
    await app.close();
    await service.close();
  }
}

/** What is found only while it begins is said as what is found before. */
async function beginUnlessRefused(there: Listening, begin: (there: Listening) => Promise<void>): Promise<void> {
  if (saidRefused(there)) return;
  try {
    await begin(there);
  } catch (error) {
    if (!(error instanceof Unavailable) || !saidRefused(there)) throw error;
  }
}

/** Resolves once a log that was refused is right again; a service whose log is not refused runs on. */
async function untilRightAgain(service: Service): Promise<void> {
  for (;;) {
    await time.pause(LOOK_AGAIN_EVERY);
    // Where it cannot be asked, it is not right yet.
    if (service.guard.refused && (await service.isRightAgain().catch(() => false))) return;
  }
}

/** A log that is not ours, or not whole, is left as it is: the process stays to say so. */
function saidRefused({ service: { guard }, log }: Listening): boolean {
  if (!guard.refused) return false;
  const findings = guard.findings.map((finding) => toldOf(finding));
  log.error({ findings }, 'Holdfast refuses the event log, decides nothing and asks no gateway');
  return true;
}

async function listen(config: Config, log: Logger): Promise<Listening> {
  const certificate = config.tls === undefined ? undefined : readCertificate(config.tls);
  const service = await openService(config, log, thisMachine);
  const app = await createHttpApp(service, log, { ...config, certificate });
  try {
    await app.listen(config.port, await addressOf(config));
  } catch (error) {
    throw inWords(error as Error, config);
  }
  followFiles(app, config, log);
  const { port } = app.getHttpServer().address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const url = `${config.tls === undefined ? 'http' : 'https'}://${host}:${port}`;
  const { site } = service.engine;
  if (site.publicUrl === '') site.publicUrl = url;
  process.stdout.write(`${beginning(url)}\n`);
  const { role, dataDir } = config;
  log.info({ url, version, node: process.version, role, data_dir: dataDir, engines: enginesOf(config) }, 'listening');
  return { service, app, url, log };
}

/** A certificate that is renewed is taken over without a restart. */
function followFiles(app: NestFastifyApplication, { tls }: Config, logger: Logger): void {
  const server: unknown = app.getHttpServer();
  if (tls !== undefined && server instanceof Server) followCertificate(server, tls, logger);
}

async function viewsLive({ projections }: Service): Promise<void> {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const views = projections.report()?.views ?? [];
    if (views.length > 0 && views.every(({ state }) => state === 'live')) return;
    await time.pause(LOOK_EVERY);
  }
}

/** Seconds since the process began. */
function sinceStart(): string {
  return (time.monotonic() / 1_000).toFixed(1);
}
