import { EventStoreDbLog, EventStoreDbLogReader, recordOf } from '#adapters/eventstoredb';
import {
  MongoDbIdempotencyRecords,
  MongoDbKeyStore,
  MongoDbKeyValueStore,
  MongoDbLeases,
  MongoDbProjections,
  MongoDbProjectorDesk,
  MongoDbVault,
  openMongoDbKeys,
} from '#adapters/mongodb';
import { emptyFinding, findingOf, readMark } from '#eventsourcing';
import { Projector } from '#eventsourcing/projections';
import { categories, codec, type Engines, type Surroundings, views } from '#platform';
import { GatewayClient, type GatewayServer } from '../world/gateway.js';
import type { Life } from '../world/life.js';
import { type MailServer, SimulatedMailer } from '../world/mail-server.js';
import { startSimulatedProjector } from '../world/projector.js';
import type { World } from '../world/world.js';
import { EventStoreClient } from './eventstoredb/event-store-client.js';
import type { EventStore } from './eventstoredb/event-store.js';
import { MongoClientLine, simulatedMongoDb } from './mongodb/mongo-client.js';
import type { MongoServer } from './mongodb/mongo-server.js';
import { MongoViewReaders, MongoViewStore } from './mongodb/mongo-views.js';
import { SimulatedRedisTimers } from './redis/redis-timers.js';
import type { RedisServer } from './redis/redis-server.js';

/** What the processes of one installation share. */
export interface SharedServers {
  readonly eventStore: EventStore;
  readonly mongo: MongoServer;
  readonly redis: RedisServer;
  readonly gateway: GatewayServer;
  readonly mails: MailServer;
}

/** Nobody listens there. */
const URL = 'esdb://one.example:2113,two.example:2113,three.example:2113?tls=false';

/** The master key of every simulated installation. */
const MASTER_KEY = Buffer.alloc(32, 7);

/** What an API or a worker stands on: the servers, over networks of its own. */
export function aroundSharing(world: World, servers: SharedServers, life: Life): Surroundings {
  const { machine } = life;
  const { time } = machine;
  const { eventStore, mongo } = servers;
  return {
    machine,
    async openEngines(config, logger, on): Promise<Engines> {
      const line = new MongoClientLine(mongo, life);
      const database = simulatedMongoDb(line, life);
      const keyValues = new MongoDbKeyValueStore(database);
      const { eventStorePrefix: prefix } = config;
      const client = new EventStoreClient(eventStore, life);
      const exists = async (): Promise<boolean> => (await recordOf(client, prefix)) !== undefined;
      const written = (await exists()) ? 'the server of EVENTSTORE_URL has an event log' : undefined;
      const keyring = await openMongoDbKeys(database, () => MASTER_KEY, written);
      const mark = await readMark(keyValues);
      // As the engine of the real one: a log that was known here is not made again.
      const givenUp = mark === undefined || config.accept.has(emptyFinding(mark).code);
      const identity = givenUp || (await exists()) ? undefined : mark.identity;
      const log = await EventStoreDbLog.on(client, {
        url: URL,
        prefix,
        categories,
        identity,
        machine,
        onBroken: () => on.broken(),
        onFound: ({ words, found, stream, at }) => on.found({ ...findingOf(words, found, stream), at }),
        onError: (error) => logger.warn({ err: error }, 'a request to EventStoreDB has failed'),
        onNotice: (words) => logger.warn(words),
      });
      const failed = (error: unknown): void => logger.warn({ err: error }, 'the projections cannot be shared now');
      const leases = new MongoDbLeases(database, (name, error) =>
        logger.error({ err: error }, `the work under the lease ${name} has failed`),
      );
      return {
        views: new MongoViewReaders(line, life),
        keyring,
        keys: new MongoDbKeyStore(database, keyring),
        vault: new MongoDbVault(database, keyring),
        records: new MongoDbIdempotencyRecords(database, keyring),
        keyValues,
        shared: {
          leases,
          projections: new MongoDbProjections(database, failed),
          newDesk: () => new MongoDbProjectorDesk(database, failed),
        },
        log,
        manifest: undefined,
        place: life.name,
        locations: {
          log: { engine: 'eventstoredb', url: '', prefix, identity: log.identity },
          views: { engine: 'mongodb', url: '' },
        },
        async close() {
          await leases.close();
          await log.close();
        },
      };
    },
    openGateway: ({ gatewayTimeout }) =>
      Promise.resolve(new GatewayClient(world, life, servers.gateway, gatewayTimeout)),
    mailer: () => async () => new SimulatedMailer(world, life, servers.mails),
    reach: () => Promise.resolve(),
    openTimers(_config, { clock, logger }) {
      const onError = (error: unknown): void => logger.error({ err: error }, 'the work of a work list has failed');
      const timers = new SimulatedRedisTimers(servers.redis, life, { clock, onError });
      return Promise.resolve({ timers, queues: [], isRedisAway: () => timers.away });
    },
    startProjector: startSimulatedProjector(world, life, async ({ dueRows, accepted, locations }, on) => {
      if (locations.log.engine !== 'eventstoredb') throw new Error('the log is at another engine');
      const { prefix, identity } = locations.log;
      const log = await EventStoreDbLogReader.on(new EventStoreClient(eventStore, life), {
        url: URL,
        prefix,
        categories,
        identity,
        machine,
        onBroken: () => on.doubt(),
        onFound({ words, found, stream, at }) {
          on.found({ ...findingOf(words, found, stream), at });
          return false;
        },
      });
      const line = new MongoClientLine(mongo, life);
      const projector = new Projector({
        log,
        store: new MongoViewStore(line),
        codec,
        views,
        time,
        dueRows,
        report: (report) => on.report(report),
        notice: (text) => on.notice(text),
        found: (finding) => on.found(finding),
        mayRebuild: ({ code }, seen) => accepted.codes.has(code) || accepted.logsAt.some((position) => position < seen),
      });
      return { projector, notify: () => undefined, end: () => log.close() };
    }),
    copied: () => undefined,
    recordFolder: () => Promise.resolve({ close: () => Promise.resolve() }),
  };
}
