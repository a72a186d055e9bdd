import { troubleServer } from '../network.js';
import type { MongoServer } from './mongo-server.js';

/** What happens to the server: ends, silences, and changes of the primary. */
export function troubleMongo(server: MongoServer): void {
  const { world } = server;
  const random = world.random.of('troubles of mongodb');
  troubleServer(server, {
    restart: 'mongodb: it ends and starts again',
    silence: 'mongodb: it stands still for a while',
  });
  server.watch(() => {
    if (world.faults.strikes('mongodb: a failover loses what nobody was promised'))
      server.failOver(random.one([800, 3_000, 12_000]) * random.between(0.5, 1.5));
  });
}
