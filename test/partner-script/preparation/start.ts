import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mmdb } from '../../support/mmdb.js';
import { RunningService } from '../../support/running-service.js';
import { tempFolder } from '../../support/temp-folder.js';
import { PLACE } from './deal-lines.js';

/** An address that `GEOIP_DB` places in the home region. */
export const HOME_IP = '192.0.2.7';

/** A service for the script. */
export interface Stage {
  readonly service: RunningService;
  /** Stops everything, and removes the data. */
  readonly discard: () => Promise<void>;
}

/** Starts a new service as the script needs it: it knows places of IP addresses (C4), and trusts a proxy on this machine (A3). */
export async function startForScript(): Promise<Stage> {
  const folder = tempFolder();
  const GEOIP_DB = join(folder.path, 'places.mmdb');
  writeFileSync(GEOIP_DB, mmdb({ '192.0.2.0/24': { location: PLACE.home } }));
  const service = await RunningService.start({ env: { GEOIP_DB, TRUSTED_PROXIES: '127.0.0.1' } });
  return {
    service,
    discard: async () => {
      await service.discard();
      folder.remove();
    },
  };
}
