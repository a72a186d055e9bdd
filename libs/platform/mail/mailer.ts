import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock, Machine } from '#eventsourcing';
import { readCertificates, readPrivateKey } from '#files';
import type { Mailer } from '#mailing/mail';
import type { Config } from '../config.js';

/** The folder of mails in the data folder. */
export const OUTBOX = 'outbox';

/** The sender of mails that nobody has configured: they stay in the outbox. */
const NOBODY = { name: 'Holdfast', address: 'holdfast@localhost' };

/** Shorter RSA keys can be guessed, and receivers ignore their signatures (RFC 8301). */
const SHORTEST_KEY = 1_024;

/** What mails need from files, checked. */
export interface MailFiles {
  /** The certificates of the mail server's authority, in PEM. */
  readonly ca: Buffer | undefined;
  /** The key that signs mails, in PEM. */
  readonly dkimKey: string | undefined;
}

/**
 * Reads the files that the settings of mails name.
 * @throws Error that names the setting and the file, and says what it must hold
 */
export function readMailFiles({ smtp, dkim }: Config): MailFiles {
  return {
    ca: smtp?.tlsCAFile === undefined ? undefined : readCertificates('tlsCAFile in SMTP_URL', smtp.tlsCAFile).pem,
    dkimKey: dkim === undefined ? undefined : readDkimKey(dkim.key),
  };
}

function readDkimKey(path: string): string {
  const { pem, key } = readPrivateKey('DKIM_KEY', path);
  const bits = key.asymmetricKeyType === 'rsa' ? (key.asymmetricKeyDetails?.modulusLength ?? 0) : 0;
  if (bits < SHORTEST_KEY) throw new Error(`DKIM_KEY: ${path} must hold an RSA key of at least ${SHORTEST_KEY} bits`);
  return pem.toString();
}

/** Opens what mails leave by: the server in the configuration, otherwise a folder. */
export async function openMailer(
  { smtp, mailFrom, dkim, dataDir }: Config,
  { ca, dkimKey }: MailFiles,
  clock: Clock,
  { time, randomness }: Machine,
  logger: Logger,
): Promise<Mailer> {
  const key = dkim === undefined || dkimKey === undefined ? undefined : { ...dkim, key: dkimKey };
  const from = { ...(mailFrom ?? NOBODY), dkim: key };
  if (smtp === undefined) {
    const { Outbox } = await import('#adapters/outbox');
    return new Outbox({ folder: join(dataDir, OUTBOX), from, clock, randomness });
  }
  const { SmtpMailer } = await import('#adapters/smtp');
  const notice = (trouble: string | undefined): void => {
    if (trouble === undefined) logger.warn('the mail server takes mails again');
    else logger.error(`${trouble}; mails wait meanwhile`);
  };
  return new SmtpMailer({ server: { ...smtp, ca }, from, clock, time, notice });
}
