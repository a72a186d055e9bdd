import type { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import { compose, type Sender } from '#adapters/mime';
import type { Clock, Time } from '#eventsourcing/ports';
import { MAIL_CONNECTIONS, MAIL_WAITS } from '#kernel/bounds';
import { isAddress, type Mail, Mailer, type MailOutcome, NO_ADDRESS } from '#mailing/mail';
import { failureOf } from './outcome.js';
import { type Hidden, partsOf } from './reply.js';
import type { SmtpError } from './smtp-error.js';
import type { SmtpServer } from './smtp-server.js';

type MailWaits = Readonly<Record<keyof typeof MAIL_WAITS, number>>;

export interface SmtpOptions {
  readonly server: SmtpServer;
  readonly from: Sender;
  /** Tells the date of each mail. */
  readonly clock: Clock;
  readonly time: Time;
  /** Told what is wrong with the server as a whole when that changes; undefined: it takes mails again. */
  readonly notice: (trouble: string | undefined) => void;
  /** Shorter ones are for tests. */
  readonly waits?: MailWaits;
}

/**
 * Hands mails to a server (RFC 5321), over a few connections that stay open. It distinguishes what the server took, what it
 * refused, and what nobody knows, because the connection broke when it had the mail.
 */
export class SmtpMailer extends Mailer {
  readonly #transport: ReturnType<typeof transportTo>;
  readonly #waits: MailWaits;
  readonly #sending = new Set<Promise<unknown>>();
  readonly #end = new AbortController();
  #closed: Promise<void> | undefined;
  #trouble: string | undefined;

  constructor(private readonly options: SmtpOptions) {
    super();
    this.#waits = options.waits ?? MAIL_WAITS;
    this.#transport = transportTo(options.server, this.#waits);
  }

  override async send(mail: Mail): Promise<MailOutcome> {
    if (this.#closed !== undefined) return { kind: 'delayed', reason: 'the connections for mails are closed' };
    if (!isAddress(mail.to)) return NO_ADDRESS;
    const sending = this.handOver(mail);
    this.#sending.add(sending);
    try {
      return await sending;
    } finally {
      this.#sending.delete(sending);
    }
  }

  override close(): Promise<void> {
    return (this.#closed ??= this.end());
  }

  private async handOver(mail: Mail): Promise<MailOutcome> {
    const { server, from, clock, time } = this.options;
    const signal = AbortSignal.any([this.#end.signal, time.timeout(this.#waits.mail)]);
    const tries: Readable[] = [];
    try {
      const raw = await compose(mail, from, clock.now());
      TRIES.set(raw, tries);
      const envelope = { from: from.address, to: [mail.to] };
      await this.#transport.sendMail({ raw, envelope, signal });
      this.tell(undefined);
      return { kind: 'sent' };
    } catch (error) {
      const begun = tries.some((each) => each.readableDidRead);
      const { outcome, trouble } = failureOf(error as SmtpError, server, begun, this.hiddenFor(mail));
      if (!this.#end.signal.aborted) this.tell(trouble);
      return outcome;
    }
  }

  /** Gives mails that are under way a moment to be confirmed. Nothing waits longer for a server that is silent. */
  private async end(): Promise<void> {
    const settled = Promise.allSettled(this.#sending);
    const patience = new AbortController();
    await Promise.race([settled, this.options.time.pause(this.#waits.end, { signal: patience.signal, ref: false })]);
    patience.abort();
    this.#end.abort();
    await settled;
    this.#transport.close();
  }

  private tell(trouble: string | undefined): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.options.notice(trouble);
  }

  private hiddenFor({ to }: Mail): Hidden {
    const { login } = this.options.server;
    return [...partsOf(to), ...(login === undefined ? [] : [login.user, login.password])];
  }
}

/** For the bytes of each mail the streams that read them: each try has one. */
const TRIES = new WeakMap<Buffer, Readable[]>();

/** What the library of mails takes of a server: times in milliseconds. */
interface SmtpSettings {
  host: string;
  port: number;
  secure: boolean;
  requireTLS: boolean;
  ignoreTLS: boolean;
  tls: { minVersion: 'TLSv1.2'; ca?: Buffer };
  auth?: { user: string; pass: string };
  forceAuth?: boolean;
  maxResponseSize: number;
  connectionTimeout: number;
  greetingTimeout: number;
  dnsTimeout: number;
  socketTimeout: number;
  socketCloseTimeout: number;
  disableFileAccess: boolean;
  disableUrlAccess: boolean;
}

/** How a server is reached, and how long it is waited for. */
export function settingsOf(
  { host, port, tls, ca, login }: SmtpServer,
  waits: Pick<MailWaits, 'connection' | 'reply' | 'farewell'>,
): SmtpSettings {
  return {
    host,
    port,
    secure: tls === 'always',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    tls: { minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) },
    // With a login, a server that asks for none is not the one that was meant.
    ...(login !== undefined && { auth: { user: login.user, pass: login.password }, forceAuth: true }),
    maxResponseSize: MAIL_CONNECTIONS.reply,
    connectionTimeout: waits.connection,
    greetingTimeout: waits.connection,
    dnsTimeout: waits.connection,
    socketTimeout: waits.reply,
    socketCloseTimeout: waits.farewell,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The connections to a server. */
function transportTo(server: SmtpServer, waits: MailWaits) {
  const transport = createTransport({
    ...settingsOf(server, waits),
    pool: true,
    maxConnections: MAIL_CONNECTIONS.together,
    maxMessages: MAIL_CONNECTIONS.mails,
    maxRequeues: MAIL_CONNECTIONS.tries,
    idleTimeout: waits.idle,
  });
  // Only the stream shows whether the server has got any of the mail.
  transport.use('stream', ({ message, data: { raw } }, done) => {
    const tries = Buffer.isBuffer(raw) ? TRIES.get(raw) : undefined;
    if (tries === undefined) throw new Error('every mail must have its bytes');
    const read = message.createReadStream.bind(message);
    message.createReadStream = (...options) => {
      const stream = read(...options);
      tries.push(stream);
      return stream;
    };
    done();
  });
  return transport;
}
