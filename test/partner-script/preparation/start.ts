import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MailServer } from '../../support/mail-server.js';
import { mmdb } from '../../support/mmdb.js';
import { RunningService } from '../../support/running-service.js';
import { tempFolder } from '../../support/temp-folder.js';
import { PLACE } from './deal-lines.js';

/** An address that `GEOIP_DB` places in the home region. */
export const HOME_IP = '192.0.2.7';

/** The address that the mail server refuses for good. */
export const UNDELIVERABLE = 'nobody@undeliverable.example';

/** A service for the script. */
export interface Stage {
  readonly service: RunningService;
  /** Stops everything, and removes the data. */
  readonly discard: () => Promise<void>;
}

/**
 * Starts a new service as the script needs it: it knows places of IP addresses (C4), trusts a proxy on this machine (A3), and
 * sends mails to a server that takes all but one address.
 */
export async function startForScript(): Promise<Stage> {
  const folder = tempFolder();
  const GEOIP_DB = join(folder.path, 'places.mmdb');
  writeFileSync(GEOIP_DB, mmdb({ '192.0.2.0/24': { location: PLACE.home } }));
  const mails = await MailServer.start({
    onRcptTo: ({ address }, _, done) =>
      done(address === UNDELIVERABLE ? Object.assign(new Error('no such mailbox'), { responseCode: 550 }) : undefined),
  });
  const SMTP_URL = `smtp://127.0.0.1:${mails.port}?tls=false`;
  const mail = { SMTP_URL, MAIL_FROM: 'Deals <deals@service.example>' };
  const service = await RunningService.start({ env: { GEOIP_DB, TRUSTED_PROXIES: '127.0.0.1', ...mail } });
  return {
    service,
    discard: async () => {
      await service.discard();
      await mails.stop();
      folder.remove();
    },
  };
}
