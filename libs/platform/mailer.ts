import { join } from 'node:path';
import type { Clock, Randomness } from '#eventsourcing';
import type { Mailer } from '#mailing/mail';
import type { Config } from './config.js';

/** The folder of mails in the data folder. */
export const OUTBOX = 'outbox';

/** The sender of mails that nobody but their reader sees. */
const NOBODY = { name: 'Holdfast', address: 'holdfast@localhost' };

/** Opens what mails leave by. */
export async function openMailer({ dataDir }: Config, clock: Clock, randomness: Randomness): Promise<Mailer> {
  const { Outbox } = await import('#adapters/outbox');
  return new Outbox({ folder: join(dataDir, OUTBOX), from: NOBODY, clock, randomness });
}
