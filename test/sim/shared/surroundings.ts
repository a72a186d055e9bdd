import {
  MongoDbIdempotencyRecords,
  MongoDbKeyStore,
  MongoDbSealedRows,
  MongoDbKeyValueStore,
  MongoDbLeases,
  MongoDbProjections,
  MongoDbProjectorDesk,
  MongoDbVault,
  openMongoDbKeys,
} from '#adapters/mongodb';
import { type Engines, newProjector, type Surroundings } from '#platform';
import { GatewayClient, type GatewayServer } from '../world/gateway.js';
import type { Life } from '../world/life.js';
import { type MailServer, SimulatedMailer } from '../world/mail-server.js';
import { startSimulatedProjector } from '../world/projector.js';
import { SimulatedSnapshots, type SnapshotData } from '../world/snapshots.js';
import { MASTER_KEY } from '../world/state.js';
import type { World } from '../world/world.js';
import { EventStoreClient } from './eventstoredb/event-store-client.js';
import type { EventStore } from './eventstoredb/event-store.js';
import { existing, followSharedLog, openSharedLog } from './eventstoredb/shared-log.js';
import { MongoClientLine, simulatedMongoDb } from './mongodb/mongo-client.js';
import type { MongoServer } from './mongodb/mongo-server.js';
import { MongoViewReaders, MongoViewStore, seenByViews } from './mongodb/mongo-views.js';
import { SimulatedRedisTimers } from './redis/redis-timers.js';
import type { RedisServer } from './redis/redis-server.js';

/** What the processes of one installation share. */
export interface SharedServers {
  readonly eventStore: EventStore;
  readonly mongo: MongoServer;
  readonly snapshots: SnapshotData;
  readonly redis: RedisServer;
  readonly gateway: GatewayServer;
  readonly mails: MailServer;
}

/** What an API or a worker stands on: the servers, over networks of its own. */
export function aroundSharing(world: World, servers: SharedServers, life: Life): Surroundings {
  const { machine } = life;
  const { eventStore, mongo } = servers;
  const snapshots = new SimulatedSnapshots(world, life, servers.snapshots);
  return {
    machine,
    async openEngines(config, logger, on): Promise<Engines> {
      const line = new MongoClientLine(mongo, life);
      const database = simulatedMongoDb(line, life);
      const keyValues = new MongoDbKeyValueStore(database);
      const client = new EventStoreClient(eventStore, life);
      const written = await existing(client, config, life);
      const liveKeys = await openMongoDbKeys(database, () => MASTER_KEY, written);
      const { keyring } = liveKeys;
      const { log, location } = await openSharedLog(client, config, { keyValues, life, on, logger });
      const failed = (error: unknown): void => logger.warn({ err: error }, 'the projections cannot be shared now');
      const leases = new MongoDbLeases(database, (name, error) =>
        logger.error({ err: error }, `the work under the lease ${name} has failed`),
      );
      return {
        views: new MongoViewReaders(line, life),
        seenByViews: (identity) => seenByViews(line, identity),
        liveKeys,
        keyring,
        sealed: new MongoDbSealedRows(database),
        keys: new MongoDbKeyStore(database, keyring),
        vault: new MongoDbVault(database, keyring),
        records: new MongoDbIdempotencyRecords(database, keyring),
        keyValues,
        snapshots,
        shared: {
          leases,
          projections: new MongoDbProjections(database, failed),
          newDesk: () => new MongoDbProjectorDesk(database, failed),
        },
        log,
        manifest: undefined,
        place: life.name,
        locations: {
          log: location,
          views: { engine: 'mongodb', url: '' },
        },
        async close() {
          await leases.close();
          await log.close();
        },
      };
    },
    openIpLocations: async () => undefined,
    openGateway: ({ gatewayTimeout }) =>
      Promise.resolve(new GatewayClient(world, life, servers.gateway, gatewayTimeout)),
    mailer: () => async () => new SimulatedMailer(world, life, servers.mails),
    reach: () => Promise.resolve(),
    openTimers(_config, { clock, logger }) {
      const onError = (error: unknown): void => logger.error({ err: error }, 'the work of a work list has failed');
      const timers = new SimulatedRedisTimers(servers.redis, life, { clock, onError });
      return Promise.resolve({ timers, queues: [], isRedisAway: () => timers.away });
    },
    startProjector: startSimulatedProjector(world, life, async (data, on, time) => {
      const log = await followSharedLog(new EventStoreClient(eventStore, life), data.locations.log, life, on);
      const store = new MongoViewStore(new MongoClientLine(mongo, life));
      const projector = newProjector({ log, store, time }, data, on);
      return { projector, notify: () => undefined, end: () => log.close() };
    }),
    snapshots: () => snapshots.options,
    copied: () => undefined,
    recordFolder: () => Promise.resolve({ close: () => Promise.resolve() }),
  };
}
