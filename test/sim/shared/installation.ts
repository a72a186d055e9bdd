import type { Logger } from 'pino';
import { GatewayServer } from '../world/gateway.js';
import type { Installation } from '../world/installation.js';
import { MailServer } from '../world/mail-server.js';
import { type Environment, ServiceProcess } from '../world/service-process.js';
import { SnapshotData } from '../world/snapshots.js';
import type { World } from '../world/world.js';
import { EventStore } from './eventstoredb/event-store.js';
import { troubleEventStore } from './eventstoredb/troubles.js';
import { MongoServer } from './mongodb/mongo-server.js';
import { troubleMongo } from './mongodb/troubles.js';
import { troubleNetwork } from './network.js';
import { RedisServer } from './redis/redis-server.js';
import { troubleRedis } from './redis/troubles.js';
import { withPrefix } from './prefixes.js';
import { aroundSharing, type SharedServers } from './surroundings.js';
import { secondService } from './whole-on-event-store.js';

/** What the configuration of processes that share their engines demands. Nobody listens there. */
const SERVERS = {
  EVENTSTORE_URL: EventStore.url,
  MONGODB_URL: 'mongodb://mongo.example/holdfast',
  REDIS_URL: 'redis://redis.example:6379',
  SANDBOX_GATEWAY_URL: 'http://gateway.example:3900',
};

/** Two APIs and two workers that share an EventStoreDB, a MongoDB and a Redis. */
export function cluster(world: World, plain: Environment, logger: Logger): Installation {
  const { environment, prefix } = withPrefix(world, plain);
  const servers: SharedServers = {
    eventStore: new EventStore(world, prefix),
    mongo: new MongoServer(world),
    snapshots: new SnapshotData(),
    redis: new RedisServer(world),
    gateway: new GatewayServer(world.random.of('ledger').bytes(8).toString('hex')),
    mails: new MailServer(),
  };
  const process = (name: string, program: 'api' | 'worker'): ServiceProcess => {
    const random = world.random.of(`clock of ${name}`);
    return new ServiceProcess(world, name, {
      environment: { ...environment, ...SERVERS, DATA_DIR: `/nowhere/${name}` },
      program,
      around: (life) => aroundSharing(world, servers, life),
      skew: { offset: random.between(-400, 400), drift: random.between(-0.00002, 0.00002) },
      logger,
    });
  };
  const apis = [process('api 1', 'api'), process('api 2', 'api')];
  const workers = [process('worker 1', 'worker'), process('worker 2', 'worker')];
  troubleNetwork(world, [servers.eventStore, servers.mongo, servers.redis]);
  troubleEventStore(servers.eventStore, prefix);
  secondService(servers.eventStore, servers.mails, environment, logger);
  troubleMongo(servers.mongo);
  troubleRedis(servers.redis);
  return {
    apis,
    processes: [...apis, ...workers],
    servers: [servers.eventStore, servers.mongo, servers.redis],
    log: servers.eventStore.ours,
    views: servers.mongo.views,
    gateway: servers.gateway,
    mails: servers.mails,
    appendsFailSince: ({ name }) => servers.eventStore.lines.get(name)?.appendsFailSince,
    cut: servers.eventStore.cut,
    areClocksRight: () => servers.eventStore.areClocksRight,
    loseEnd: (after) => servers.eventStore.loseEnd(after),
    stopWrites: (milliseconds) => servers.eventStore.leadership.cannotWrite(milliseconds),
    crash: (each) => each.crash(),
  };
}
