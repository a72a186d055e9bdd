import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { thisMachine } from '#adapters/machine';
import {
  AccessCheck,
  AnswerForm,
  anonymousLogLimit,
  AsOfHeader,
  requestIds,
  traceRequests,
  prepareServer,
  Proxies,
  CallerLimit,
  CrossOrigin,
  Keeping,
  Listeners,
  RateLimit,
  RouteBook,
  WriteLimit,
  type Authenticator,
  type KnownRoute,
  type RateBounds,
} from '#http';
import { FAILURES } from '#kernel/bounds';
import { engineOf } from './engine-of.js';

const NOBODY: Authenticator = {
  partner: () => Promise.resolve(undefined),
  partnerV3: () => Promise.resolve(undefined),
  userToken: () => Promise.resolve(undefined),
  operator: () => Promise.resolve(undefined),
  monitor: () => Promise.resolve(undefined),
};

/** Prepares a server for these routes and callers as the service does. @returns its door */
export async function entranceOf(
  server: FastifyInstance,
  {
    engine = { clock: { now: () => 0 } },
    proxies = new Proxies(),
    limit,
    listeners,
    ...given
  }: Partial<Authenticator> & {
    readonly engine?: object;
    readonly proxies?: Proxies;
    readonly limit?: RateBounds;
    /** By default, the server listens at one address. */
    readonly listeners?: Listeners;
    readonly routes?: readonly Omit<KnownRoute, 'description'>[];
  },
): Promise<AccessCheck> {
  const routes = new RouteBook();
  routes.fill((given.routes ?? []).map((route) => ({ ...route, description: undefined })));
  const accessCheck = new AccessCheck({
    routes,
    authenticator: { ...NOBODY, ...given },
    limit: await CallerLimit.on(server, limit, thisMachine.time),
    writeLimit: new WriteLimit(undefined, thisMachine.time),
    failures: {
      ofAddress: await RateLimit.ofAddresses(server, FAILURES.ofAddress, thisMachine.time),
      ofName: await RateLimit.ofNames(server, FAILURES.ofName, thisMachine.time),
    },
  });
  const log = pino({ enabled: false });
  const early = {
    log,
    anonymous: anonymousLogLimit(log, thisMachine.time),
    figures: undefined,
    newId: requestIds(thisMachine.randomness),
    time: thisMachine.time,
  };
  const parts = engineOf({ ...thisMachine, ...engine });
  traceRequests(server);
  prepareServer(server, {
    keeping: new Keeping(parts.records, parts.clock, parts.time),
    randomness: parts.randomness,
    freshness: parts.freshness,
    proxies,
    routes,
    accessCheck,
    crossOrigin: new CrossOrigin(new Set(), routes, accessCheck),
    asOf: new AsOfHeader(parts.numbers, parts.clock, new AnswerForm()),
    sunset: '2027-12-31',
    listeners: listeners ?? new Listeners(server, undefined, { proxies, time: thisMachine.time, early }),
  });
  return accessCheck;
}
