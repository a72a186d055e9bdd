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

/** The default prefix of stream names. */
const PREFIX = 'holdfast_';

/** One whole service with a data folder, and its log on EventStoreDB. */
export function wholeOnEventStore(world: World, environment: Environment, logger: Logger): Installation {
  const folder = new SimulatedFolder(world);
  const server = new EventStore(world, PREFIX);
  const gateway = new GatewayServer(world.random.of('ledger').bytes(8).toString('hex'));
  const mails = new MailServer();
  const random = world.random.of('clock');
  const service = new ServiceProcess(world, 'service', {
    environment: { ...environment, EVENTSTORE_URL: 'esdb://one.example:2113?tls=false' },
    around: (life) => onEventStore(aroundWholeService(folder, { gateway, mails }, life), { folder, server }, life),
    skew: { offset: random.between(-400, 400), drift: random.between(-0.00002, 0.00002) },
    logger,
  });
  troubleNetwork(world, [server]);
  troubleEventStore(server, PREFIX);
  return {
    apis: [service],
    processes: [service],
    log: server.ours,
    views: folder.views.data,
    gateway,
    mails,
    crash(process) {
      process.crash();
      folder.crash(world.faults.strikes('crash: the machine loses its power') ? 'power' : 'kill');
    },
  };
}

/** The same, but for the log. */
function onEventStore(
  around: Surroundings,
  { folder, server }: { readonly folder: SimulatedFolder; readonly server: EventStore },
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
