import { troubleServer } from '../network.js';
import type { RedisServer } from './redis-server.js';

/** What happens to the server: ends, silences, and an administrator who empties it. */
export function troubleRedis(server: RedisServer): void {
  troubleServer(server, {
    restart: 'redis: it ends and starts again',
    silence: 'redis: it stands still for a while',
  });
  server.watch(() => {
    if (server.world.faults.strikes('redis: it is emptied')) server.empty();
  });
}
