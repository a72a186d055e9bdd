import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { CommandBus } from '@nestjs/cqrs';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { mountConsole } from '#console';
import {
  AnswerErrors,
  answerUnreadable,
  AccessCheck,
  anonymousLogLimit,
  CallerLimit,
  AsOfHeader,
  CrossOrigin,
  Listeners,
  ownHosts,
  prepareServer,
  RateLimit,
  requestIds,
  RouteBook,
  traceRequests,
  undeclared,
  watchRequests,
  WriteLimit,
  type Proxies,
  type RateBounds,
  Keeping,
} from '#http';
import { FAILURES, HEADER_BYTES, LOOK_AT_WAITS_EVERY, MOST_HEADERS, PATIENCE, READ_AHEAD, WAITS } from '#kernel/bounds';
import { BUILD } from './build.js';
import { liveValuesOf } from './live-values.js';
import { AppModule } from './app.module.js';
import { WorkerModule } from './worker.module.js';
import { TLS, type Certificate } from './certificate.js';
import { routesOf, type Route } from './openapi/routes.js';
import { mountNoBoard } from './queues/no-board.js';
import { authenticatorOf } from './authenticator.js';
import { lookTwiceIfResumed, oneHandlerEach, traceCommands } from './command-bus.js';
import type { Service } from './service.js';

/** How callers reach the service. */
export interface Reach {
  /** The folder with the files of the first tokens. */
  readonly dataDir: string;
  /** Set if the service itself speaks TLS. */
  readonly certificate?: Certificate | undefined;
  /** What listens at the admin address (`newAdminServer`); undefined: one address answers everything. */
  readonly admin?: Server | undefined;
  /** The host of that address, as settings name it. */
  readonly adminHost?: string | undefined;
  readonly proxies: Proxies;
  readonly rateLimit: RateBounds | undefined;
  /** Bytes that each partner may write per second; undefined: any number. */
  readonly writeBytesPerSecond: number | undefined;
  /** The origins whose pages may call with a user's access token. */
  readonly corsOrigins: ReadonlySet<string>;
  /** When issuing access tokens will be removed: a day, `YYYY-MM-DD`. */
  readonly accessTokensSunset: string;
}

/** Builds the HTTP server of a service. It does not listen yet. */
export async function createHttpApp(service: Service, logger: Logger, reach: Reach): Promise<NestFastifyApplication> {
  const {
    certificate,
    admin,
    adminHost,
    proxies,
    rateLimit,
    writeBytesPerSecond,
    corsOrigins,
    accessTokensSunset: sunset,
  } = reach;
  const { time, randomness } = service.engine;
  const early = {
    log: logger,
    anonymous: anonymousLogLimit(logger, time),
    figures: service.metrics.figures?.requests,
    newId: requestIds(randomness),
    time,
  };
  const adapter = new FastifyAdapter({
    ...(certificate === undefined ? { http: NODE_LIMITS } : { https: { ...NODE_LIMITS, ...TLS, ...certificate } }),
    keepAliveTimeout: WAITS.nextRequest,
    // A call that arrives during a stop is carried out, like those before it.
    return503OnClosing: false,
    // It bounds the hook of a stop, too, which has a bound of its own.
    pluginTimeout: 2 * PATIENCE.stop,
    clientErrorHandler: answerUnreadable(early),
    trustProxy: (address: string) => proxies.trusts(address),
    rewriteUrl: (request: IncomingMessage) => {
      proxies.cutForwarded(request);
      return listeners.pathOf(request);
    },
    genReqId: requestIds(randomness),
    requestIdHeader: false,
    schemaController: { compilersFactory: NO_SCHEMAS },
    // An id that is too long is unknown, not refused: this is longer than every request line that Node accepts.
    // The query string is read later, together with the body, where it can be refused.
    routerOptions: { maxParamLength: 20_000, querystringParser: () => ({}) },
  });
  const server = adapter.getInstance();
  server.server.maxHeadersCount = MOST_HEADERS;
  admin?.on('clientError', answerUnreadable(early));
  const routes = new RouteBook();
  const authenticator = authenticatorOf(service, reach.dataDir);
  const isOwnHost = ownHosts(service.publicUrl, adminHost === undefined ? [] : [adminHost]);
  const accessCheck = new AccessCheck({
    routes,
    authenticator,
    limit: await CallerLimit.on(server, rateLimit, time),
    writeLimit: new WriteLimit(writeBytesPerSecond, time),
    failures: {
      ofAddress: await RateLimit.ofAddresses(server, FAILURES.ofAddress, time),
      ofName: await RateLimit.ofNames(server, FAILURES.ofName, time),
    },
    ...(service.role !== 'worker' && { sessions: { isOwnHost, find: (secret) => authenticator.find(secret) } }),
  });
  traceRequests(server, service.tracer);
  watchRequests(server, early);
  const endStreams: (() => void)[] = [];
  // Before connections are closed after their calls: a stream has no end of its own.
  server.addHook('preClose', async () => endStreams.forEach((end) => end()));
  const listeners = new Listeners(server, admin, { proxies, time, early });
  const crossOrigin = new CrossOrigin(corsOrigins, routes, accessCheck);
  const { freshness, records, clock, numbers } = service.engine;
  const keeping = new Keeping(records, clock, time);
  const asOf = new AsOfHeader(numbers, clock, service.answerForm);
  prepareServer(server, {
    keeping,
    randomness,
    freshness,
    proxies,
    routes,
    accessCheck,
    crossOrigin,
    asOf,
    listeners,
    sunset,
  });
  if (service.role !== 'worker') {
    const guard = { operator: (token: string) => authenticator.operator(token), accessCheck };
    const endLive = mountConsole(server, {
      ...guard,
      sessions: service.consoleSessions,
      isOwnHost,
      version: BUILD.version,
      folder: new URL('../../console/', import.meta.url),
      values: liveValuesOf(service),
      time,
    });
    endStreams.push(endLive);
    if (service.queues.length === 0) {
      mountNoBoard(server, guard);
    } else {
      const { mountQueueBoard } = await import('./queues/board.js');
      mountQueueBoard(server, { queues: service.queues, ...guard });
    }
  }
  const module = service.role === 'worker' ? WorkerModule.of(service) : AppModule.of(service);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: false,
    bodyParser: false,
    abortOnError: false,
  });
  routes.fill(allDeclared(routesOf(app.get(ModulesContainer))));
  app.useGlobalFilters(new AnswerErrors(logger));
  if (service.role !== 'worker') {
    oneHandlerEach(app.get(CommandBus));
    lookTwiceIfResumed(app.get(CommandBus));
    if (service.tracer !== undefined) traceCommands(app.get(CommandBus), service.tracer);
  }
  await app.init();
  return app;
}

/** What listens at the admin address, with the same limits. `createHttpApp` lets it answer. */
export function newAdminServer(certificate: Certificate | undefined): Server {
  const server =
    certificate === undefined ? createServer(NODE_LIMITS) : createTlsServer({ ...NODE_LIMITS, ...TLS, ...certificate });
  server.keepAliveTimeout = WAITS.nextRequest;
  // As Fastify's: bodies have their own waiting times.
  server.requestTimeout = 0;
  server.maxHeadersCount = MOST_HEADERS;
  return server;
}

/** Zod reads and describes parameters. Without Fastify's schema compilers, a start loads a hundred files less. */
const NO_SCHEMAS = { buildValidator: refuseSchemas, buildSerializer: refuseSchemas };

function refuseSchemas(): never {
  throw new Error('routes have no Fastify schema here: describe them with Zod');
}

/** Node's own limits. Bodies have their own waiting times, because an import may take as long as it needs. */
const NODE_LIMITS = {
  maxHeaderSize: HEADER_BYTES,
  highWaterMark: READ_AHEAD,
  headersTimeout: WAITS.headers,
  // The service refuses it itself, in the form of every error.
  requireHostHeader: false,
  connectionsCheckingInterval: LOOK_AT_WAITS_EVERY,
};

/** Stops a start if a partner's route does not say how access tokens may use it (ruling A7): nobody forgets a new call. */
function allDeclared(routes: readonly Route[]): readonly Route[] {
  for (const { method, path, access, tokens } of routes) {
    const missing = access === 'partner' ? undeclared(path, tokens) : undefined;
    if (missing !== undefined) throw new Error(`${method} ${path}: ${missing}`);
  }
  return routes;
}
