import type { Logger } from 'pino';
import { newProjector, type Surroundings } from '#platform';
import { SimulatedViewStore } from '../embedded/views.js';
import { aroundWholeService, SimulatedFolder } from '../embedded/whole-service.js';
import { GatewayServer } from '../world/gateway.js';
import type { Installation } from '../world/installation.js';
import type { Life } from '../world/life.js';
import { MailServer } from '../world/mail-server.js';
import { startSimulatedProjector } from '../world/projector.js';
import { type Environment, ServiceProcess } from '../world/service-process.js';
import type { World } from '../world/world.js';
import { EventStore } from './eventstoredb/event-store.js';
import { EventStoreClient } from './eventstoredb/event-store-client.js';
import { followSharedLog, openSharedLog } from './eventstoredb/shared-log.js';
import { troubleEventStore } from './eventstoredb/troubles.js';
import { troubleNetwork } from './network.js';
import { withPrefix } from './prefixes.js';
import { SecondService } from './second-service.js';

/** One whole service with a data folder, and its log on EventStoreDB. */
export function wholeOnEventStore(world: World, plain: Environment, logger: Logger): Installation {
  const { environment, prefix } = withPrefix(world, plain);
  const folder = new SimulatedFolder(world);
  const server = new EventStore(world, prefix);
  const gateway = new GatewayServer(world.random.of('ledger').bytes(8).toString('hex'));
  const mails = new MailServer();
  const service = wholeProcess('service', { folder, server, gateway, mails }, environment, logger);
  troubleNetwork(world, [server]);
  troubleEventStore(server, prefix);
  secondService(server, mails, environment, logger);
  return {
    apis: [service],
    processes: [service],
    servers: [server],
    log: server.ours,
    views: folder.views.data,
    gateway,
    mails,
    appendsFailSince: ({ name }) => server.lines.get(name)?.appendsFailSince,
    cut: server.cut,
    areClocksRight: () => server.areClocksRight,
    loseEnd: (after) => server.loseEnd(after),
    stopWrites: (milliseconds) => server.leadership.cannotWrite(milliseconds),
    crash(process) {
      process.crash();
      folder.crash(world.faults.strikes('crash: the machine loses its power') ? 'power' : 'kill');
    },
  };
}

/** Lets somebody start a second whole service on the log by mistake, with a data folder and a gateway of its own. */
export function secondService(server: EventStore, mails: MailServer, environment: Environment, logger: Logger): void {
  const { world } = server;
  const folder = new SimulatedFolder(world, 'another folder');
  const gateway = new GatewayServer(world.random.of('another ledger').bytes(8).toString('hex'));
  const on = { folder, server, gateway, mails };
  new SecondService(world, server, wholeProcess('another service', on, environment, logger)).begin();
}

/** What a whole service with its log on EventStoreDB stands on. */
interface Standing {
  readonly folder: SimulatedFolder;
  readonly server: EventStore;
  readonly gateway: GatewayServer;
  readonly mails: MailServer;
}

function wholeProcess(
  name: string,
  { folder, server, gateway, mails }: Standing,
  environment: Environment,
  logger: Logger,
): ServiceProcess {
  const { world } = server;
  const random = world.random.of(`clock of ${name}`);
  return new ServiceProcess(world, name, {
    environment: { ...environment, EVENTSTORE_URL: EventStore.url },
    around: (life) => onEventStore(aroundWholeService(folder, { gateway, mails }, life), { folder, server }, life),
    skew: { offset: random.between(-400, 400), drift: random.between(-0.00002, 0.00002) },
    logger,
  });
}

/** The same, but for the log. */
function onEventStore(
  around: Surroundings,
  { folder, server }: Pick<Standing, 'folder' | 'server'>,
  life: Life,
): Surroundings {
  return {
    ...around,
    async openEngines(config, logger, on) {
      const engines = await around.openEngines(config, logger, on);
      const { keyValues } = engines;
      const client = new EventStoreClient(server, life);
      const { log, location } = await openSharedLog(client, config, { keyValues, life, on, logger });
      return {
        ...engines,
        log,
        locations: { ...engines.locations, log: location },
        close: () => log.close(),
      };
    },
    startProjector: startSimulatedProjector(life.world, life, async (data, on, time) => {
      const log = await followSharedLog(new EventStoreClient(server, life), data.locations.log, life, on);
      const store = new SimulatedViewStore(life.world, life, folder.views);
      const projector = newProjector({ log, store, time }, data, on);
      return { projector, notify: () => undefined, end: () => log.close() };
    }),
  };
}
