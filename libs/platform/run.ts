import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Server } from 'node:tls';
import { CommandBus } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { thisMachine } from '#adapters/machine';
import { retryWhileUnavailable, describeFinding, Unavailable } from '#eventsourcing';
import { CONNECTIONS } from '#kernel/bounds';
import { useForm } from '#operations';
import { adminPlaceOf, adminReachOf, type AdminPlace } from './admin-address.js';
import { followCertificate, readCertificate } from './certificate.js';
import { readConfig, type Config } from './config.js';
import { endOnSignal } from './end-on-signal.js';
import type { Environment } from './environment.js';
import { DEMO_FILE, loadDemo, requestDemo } from './first-start/demo.js';
import { ensureTokens } from './first-start/tokens.js';
import { logEngineOf } from './engines/log-engines.js';
import { reachOf, type Reached } from './reach.js';
import { beginning, greeting, workerGreeting } from './greeting.js';
import { refuseLost } from './folder/lost-folder.js';
import { refusePlanted } from './folder/planted.js';
import { checkUsable } from './folder/usable.js';
import { createHttpApp, newAdminServer } from './http-app.js';
import { addressOf, checkListenAddress, listenError } from './listen-address.js';
import { enginesOf } from './log/engines-of.js';
import { warningsOfOpenSecrets } from './open-secrets.js';
import { openProcessLog, type Program } from './log/process-log.js';
import { checkOpenFiles } from './open-files.js';
import { untilReady } from './readiness.js';
import { openService, type Service } from './service.js';
import { realSurroundings } from './surroundings.js';

/** The pause between two checks of a first start for its views, in milliseconds, and the most checks. */
const LOOK_EVERY = 20;
const LOOKS = 3_000;

/** How often the process checks a refused log again, in milliseconds. */
const LOOK_AGAIN_EVERY = 2_000;

const { time } = thisMachine;

/** A listening service. */
interface Listening {
  readonly service: Service;
  readonly app: NestFastifyApplication;
  readonly reached: Reached;
  /** Where operators and auditors call, if not where everybody does. */
  readonly admin: (Reached & { readonly port: number }) | undefined;
  readonly log: Logger;
  /** Finishes the running calls and closes everything, once for all who ask. */
  close(): Promise<void>;
}

/** Runs the service until a signal stops it (SIGINT, SIGTERM, SIGHUP). */
export async function run(environment: Environment): Promise<void> {
  const config = readConfig(environment);
  await live(config, 'api', async ({ service, app, reached: { url, here, advice }, admin, log }) => {
    await prepare(config, service, app.get(CommandBus), log);
    const demo = existsSync(join(config.dataDir, DEMO_FILE));
    const { dataDir, role } = config;
    const alone = role === 'all';
    const words = greeting({ url, dataDir, demo: demo && here, alone, seconds: sinceStart(), advice, admin });
    process.stdout.write(`${words}\n`);
    if (advice !== undefined) log.warn({ url }, advice);
    if (admin?.advice !== undefined) log.warn({ url: admin.url }, `ADMIN_HOST: ${admin.advice}`);
    log.info({ url, seconds: Number(sinceStart()) }, 'ready');
  });
}

/** The warning for a missing token file: somebody else may have its token. */
const NEW_TOKENS =
  'each missing token file has a new token now; the old tokens still work: GET /operators/tokens lists all, DELETE /operators/tokens/<id> revokes one';

/** The warning for mails that go to people while nobody has said where the service is. */
const LOCAL_LINKS =
  'links in mails begin with this address, which other machines may not reach: set PUBLIC_URL to the public URL of the service';

/** Makes the first tokens and the demo, notes the form of answers, starts due work, and waits until the service is ready. */
async function prepare(config: Config, service: Service, commands: CommandBus, log: Logger): Promise<void> {
  const { engine } = service;
  const { writer, keyring, randomness, clock } = engine;
  const isFirst = (await retryWhileUnavailable(engine.time, () => engine.log.head())) === 0n;
  if (config.role === 'all') {
    if (isFirst && config.demo && logEngineOf(config).demo) requestDemo(config.dataDir);
    // The first commands read the views, which a busy machine may start late.
    if (isFirst) await viewsLive(service);
  }
  const files = await retryWhileUnavailable(engine.time, () =>
    ensureTokens(writer, keyring, randomness, commands, config.dataDir),
  );
  if (files.length > 0 && !isFirst) log.warn({ files }, NEW_TOKENS);
  if (config.demo)
    await retryWhileUnavailable(engine.time, () => loadDemo(writer, keyring, clock, commands, config.dataDir));
  await retryWhileUnavailable(engine.time, () => useForm(writer, keyring, service.publicUrl, service.answerForm));
  service.startWork();
  await untilReady(service, log);
  service.erasing.start();
  service.keys.start();
  await service.endWarnings.start();
}

/** Runs a worker until a signal stops it. It builds views and does due work for the APIs that share its engines. */
export async function runWorker(environment: Environment): Promise<void> {
  await live(readConfig(environment, 'worker'), 'worker', async ({ service, reached, admin, log }) => {
    const { url } = admin ?? reached;
    service.startWork();
    await untilReady(service, log);
    service.keys.start();
    process.stdout.write(`${workerGreeting({ url, seconds: sinceStart() })}\n`);
    log.info({ url, seconds: Number(sinceStart()) }, 'ready');
  });
}

/**
 * Listens and begins to work. If the log is refused, it waits until the right one is back, then closes everything and starts
 * again on the same port: so nothing of the wrong log stays in memory.
 */
async function live(config: Config, program: Program, begin: (listening: Listening) => Promise<void>): Promise<void> {
  // Files made from here on are readable by their owner only.
  process.umask(0o077);
  checkOpenFiles();
  checkUsable(config.dataDir);
  refusePlanted(config.dataDir);
  refuseLost(config);
  await checkListenAddress(config);
  const adminPlace = adminPlaceOf(config);
  if (adminPlace !== undefined) await checkListenAddress(adminPlace);
  const log = await openProcessLog(program, config.logLevel, time);
  for (const warning of warningsOfOpenSecrets(config)) log.warn(warning);
  let there: Listening | undefined;
  const isEnding = endOnSignal(log, time, async () => there?.close());
  for (let now = config; ;) {
    there = await listen(now, log);
    const { service } = there;
    now = atThePorts(there, config);
    const begun = beginUnlessRefused(there, begin, isEnding);
    await Promise.race([begun.then(() => new Promise<never>(() => undefined)), untilRightAgain(service)]);
    log.warn('the event log that was refused is right again: Holdfast starts again');
    await there.close();
    if (isEnding()) return;
  }
}

/** The settings for another start at the same addresses. */
function atThePorts({ app, admin }: Listening, config: Config): Config {
  const { adminAddress } = config;
  return {
    ...config,
    port: portOf(app.getHttpServer()),
    adminAddress: adminAddress && admin && { ...adminAddress, port: admin.port },
  };
}

/** Begins to work, unless the log is refused already. A finding during the beginning has the same effect as an earlier one. */
async function beginUnlessRefused(
  there: Listening,
  begin: (there: Listening) => Promise<void>,
  isEnding: () => boolean,
): Promise<void> {
  if (logIfRefused(there)) return;
  try {
    await begin(there);
  } catch (error) {
    // A stop closes what the beginning still needs.
    if (isEnding()) return;
    if (!(error instanceof Unavailable) || !logIfRefused(there)) throw error;
  }
}

/** Resolves when a refused log is right again; never, if the log is not refused. */
async function untilRightAgain(service: Service): Promise<void> {
  for (;;) {
    await time.pause(LOOK_AGAIN_EVERY);
    // A log that does not answer is not right yet.
    if (service.guard.refused && (await service.isRightAgain().catch(() => false))) return;
  }
}

/** Logs that the event log is refused, and returns whether it is. The process stays alive to say so. */
function logIfRefused({ service: { guard }, log }: Listening): boolean {
  if (!guard.refused) return false;
  const findings = guard.findings.map((finding) => describeFinding(finding));
  log.error({ findings }, 'Holdfast refuses the event log, decides nothing and asks no gateway');
  return true;
}

async function listen(config: Config, log: Logger): Promise<Listening> {
  const certificate = config.tls === undefined ? undefined : readCertificate(config.tls);
  const service = await openService(config, log, realSurroundings(thisMachine));
  await service.erasing.shut();
  const adminPlace = adminPlaceOf(config);
  const adminServer = adminPlace && newAdminServer(adminPlace.tls ? certificate : undefined);
  const app = await createHttpApp(service, log, {
    ...config,
    certificate,
    admin: adminServer,
    adminHost: adminPlace?.host,
  });
  try {
    await app.listen({ port: config.port, host: await addressOf(config), backlog: CONNECTIONS.beginning });
  } catch (error) {
    throw listenError(error as Error, config);
  }
  const admin = adminPlace && adminServer && (await listenForOperators(adminPlace, adminServer, config));
  followFiles([app.getHttpServer(), adminServer], config, log);
  const port = portOf(app.getHttpServer());
  service.metrics.start();
  const reached = reachOf({
    host: config.host,
    port,
    tls: config.tls !== undefined,
    behindProxies: config.proxies.exist,
  });
  const { url } = reached;
  const { publicUrl } = service;
  if (publicUrl.href === '') {
    publicUrl.href = url;
    if (config.smtp !== undefined) log.warn({ url }, LOCAL_LINKS);
  }
  process.stdout.write(`${beginning(url)}\n`);
  const { role, dataDir } = config;
  log.info(
    {
      url,
      ...(admin !== undefined && { admin_url: admin.url }),
      node: process.version,
      role,
      data_dir: dataDir,
      engines: enginesOf(config),
    },
    'listening',
  );
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= app.close().then(() => service.close()));
  return { service, app, reached, admin, log, close };
}

/** @throws Error for people to read if it cannot listen there */
async function listenForOperators(
  place: AdminPlace,
  server: HttpServer,
  config: Config,
): Promise<NonNullable<Listening['admin']>> {
  server.listen({ port: place.port, host: await addressOf(place), backlog: CONNECTIONS.beginning });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenError(error as Error, place);
  }
  const port = portOf(server);
  return { ...adminReachOf({ ...place, port }, config), port };
}

function portOf(server: HttpServer): number {
  return (server.address() as AddressInfo).port;
}

/** Uses a renewed certificate without a restart. */
function followFiles(listening: readonly unknown[], { tls }: Config, logger: Logger): void {
  const servers = listening.filter((each) => each instanceof Server);
  if (tls !== undefined) followCertificate(servers, tls, logger);
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
