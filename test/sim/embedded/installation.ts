import type { Logger } from 'pino';
import { GatewayServer } from '../world/gateway.js';
import type { Installation } from '../world/installation.js';
import { MailServer } from '../world/mail-server.js';
import { type Environment, ServiceProcess } from '../world/service-process.js';
import type { World } from '../world/world.js';
import { aroundWholeService, SimulatedFolder } from './whole-service.js';

/** One whole service with its data folder. */
export function wholeService(world: World, environment: Environment, logger: Logger): Installation {
  const folder = new SimulatedFolder(world);
  const gateway = new GatewayServer(world.random.of('ledger').bytes(8).toString('hex'));
  const mails = new MailServer();
  const random = world.random.of('clock');
  const service = new ServiceProcess(world, 'service', {
    environment,
    around: (life) => aroundWholeService(folder, { gateway, mails }, life),
    skew: { offset: random.between(-300_000, 300_000), drift: random.between(-0.0002, 0.0002) },
    logger,
  });
  return {
    apis: [service],
    processes: [service],
    servers: [],
    log: folder.log,
    views: folder.views.data,
    gateway,
    mails,
    crash(process) {
      process.crash();
      if (world.faults.strikes('disk: a file of a view is lost')) folder.views.lose();
      folder.crash(world.faults.strikes('crash: the machine loses its power') ? 'power' : 'kill');
    },
  };
}
