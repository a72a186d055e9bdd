import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SMTPServerOptions } from 'smtp-server';
import { thisMachine } from '#adapters/machine';
import { LONGEST_REPLY, MAIL_CONNECTIONS } from '#kernel/bounds';
import type { MailOutcome } from '#mailing';
import { MAIL, mailerContract, SENDER } from '../../../test/contracts/mailer.contract.js';
import { Authority, hasOpenssl } from '../../../test/support/certificates.js';
import { MailServer } from '../../../test/support/mail-server.js';
import { parsed } from '../../../test/support/parsed-mail.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { SmtpMailer, type SmtpOptions } from './smtp-mailer.js';
import type { SmtpServer } from './smtp-server.js';

/** Milliseconds within which a slow machine has sent a hundred mails. */
const WAITS = { mail: 120_000, connection: 60_000, reply: 60_000, idle: 60_000, end: 30_000, farewell: 100 };

/** What a mailer said about its server, and how it is made. */
interface Made {
  readonly mailer: SmtpMailer;
  readonly notices: (string | undefined)[];
}

function make(server: Partial<SmtpServer> & { readonly port: number }, more: Partial<SmtpOptions> = {}): Made {
  const notices: (string | undefined)[] = [];
  const mailer = new SmtpMailer({
    server: { host: '127.0.0.1', tls: 'none', ca: undefined, login: undefined, ...server },
    from: SENDER,
    clock: { now: () => Date.UTC(2026, 0, 1) },
    time: thisMachine.time,
    notice: (trouble) => notices.push(trouble),
    waits: WAITS,
    ...more,
  });
  return { mailer, notices };
}

mailerContract('SMTP', async () => {
  const server = await MailServer.start();
  const { mailer } = make({ port: server.port });
  return {
    mailer,
    mails: () =>
      Promise.resolve(
        server.taken.map(({ raw }) => raw).toSorted((one, other) => idOf(one).localeCompare(idOf(other))),
      ),
    async dispose() {
      await mailer.close();
      await server.stop();
    },
  };
});

const idOf = (raw: Buffer): string => parsed(raw).headers['message-id']?.[0] ?? '';

describe('F4: mails through a server', () => {
  let server: MailServer;
  let made: Made;
  const begin = async (options?: SMTPServerOptions, more: Partial<SmtpServer> = {}, waits = WAITS): Promise<void> => {
    server = await MailServer.start(options);
    made = make({ port: server.port, ...more }, { waits });
  };
  const send = (messageId = MAIL.messageId): Promise<MailOutcome> => made.mailer.send({ ...MAIL, messageId });
  /** The outcome without the server's name. */
  const outcome = async (): Promise<string> => {
    const result = await send();
    if (result.kind === 'sent') return 'sent';
    return `${result.kind}: ${result.reason.replace(`the mail server 127.0.0.1:${server.port}`, 'it')}`;
  };
  afterEach(async () => {
    await made.mailer.close();
    await server.stop();
  });

  it('the envelope names one recipient, and the sender to whom a failure returns', async () => {
    await begin();
    expect(await outcome()).toBe('sent');
    expect(server.taken.map(({ to, from }) => [to, from])).toEqual([[MAIL.to, 'shop@deals.example.com']]);
  });

  it.each([
    [
      'an unknown address',
      { rcpt: { code: 550, words: '5.1.1 no such user' } },
      'refused: it says 550 5.1.1 no such user',
    ],
    [
      'a sender that it does not know',
      { from: { code: 553, words: '5.7.1 not you' } },
      'refused: it says 553 5.7.1 not you',
    ],
    ['the mail itself', { data: { code: 554, words: '5.6.0 spam' } }, 'refused: it says 554 5.6.0 spam'],
    ['greylisting', { rcpt: { code: 450, words: '4.7.1 try later' } }, 'delayed: it says 450 4.7.1 try later'],
    ['a full mailbox', { data: { code: 452, words: '4.2.2 full' } }, 'delayed: it says 452 4.2.2 full'],
    ['commands in a wrong order', { data: { code: 503, words: 'confused' } }, 'delayed: it says 503 confused'],
    [
      'an end of its service',
      { rcpt: { code: 421, words: '4.3.2 down' } },
      'delayed: it takes no mails: 421 4.3.2 down',
    ],
    ['no mails at all', { connect: { code: 554, words: 'go away' } }, 'delayed: it takes no mails: 554 go away'],
    [
      'a login',
      { from: { code: 530, words: 'log in' } },
      'delayed: it does not accept the login in SMTP_URL: 530 log in',
    ],
  ])('the server says no: %s', async (_, behaviour, expected) => {
    await begin();
    Object.assign(server.behaviour, behaviour);
    expect(await outcome()).toBe(expected);
    expect(server.taken).toEqual([]);
    Object.assign(server.behaviour, { rcpt: undefined, from: undefined, data: undefined, connect: undefined });
    expect(await outcome()).toBe('sent');
    expect(server.taken).toHaveLength(1);
  });

  it('keeps its connection after a refusal of one mail', async () => {
    await begin();
    server.behaviour.rcpt = { code: 550, words: 'no' };
    expect((await send()).kind).toBe('refused');
    server.behaviour.rcpt = undefined;
    expect((await send()).kind).toBe('sent');
    expect(server.seen.connections).toBe(1);
  });

  it('a connection that breaks after the mail was handed over leaves the outcome unknown, and nobody sends it again', async () => {
    await begin();
    for (const data of ['cut', 'taken-and-cut'] as const) {
      server.behaviour.data = data;
      expect(await outcome()).toMatch(/^unknown: it closed the connection \(E\w+\), after the mail was handed over$/);
    }
    expect([server.seen.mails, server.taken.length]).toEqual([2, 1]);
    server.behaviour.data = undefined;
    // The repeat has the same Message-ID: a mailbox can recognise it.
    expect(await outcome()).toBe('sent');
    expect(server.taken.map(({ raw }) => idOf(raw))).toEqual([MAIL.messageId, MAIL.messageId]);
  });

  it.each(['connect', 'from', 'rcpt'] as const)(
    'a connection that breaks earlier (%s) only delays the mail',
    async (command) => {
      await begin();
      server.behaviour[command] = 'cut';
      expect(await outcome()).toMatch(/^delayed: it closed the connection/);
      expect(server.seen.mails).toBe(0);
      server.behaviour[command] = undefined;
      expect(await outcome()).toBe('sent');
    },
  );

  it('an open connection that the server has closed meanwhile costs no mail', async () => {
    await begin();
    expect(await outcome()).toBe('sent');
    server.cut();
    expect(await outcome()).toBe('sent');
    expect(server.taken).toHaveLength(2);
  });

  it('waits for a slow server', async () => {
    await begin();
    server.behaviour.delay = 500;
    expect(await outcome()).toBe('sent');
  });

  it.each([
    ['connect', 'delayed: it did not answer in time'],
    ['rcpt', 'delayed: it did not answer in time'],
    ['data', 'unknown: it did not answer in time'],
  ] as const)('gives up a silent server (%s)', async (command, expected) => {
    await begin(undefined, {}, { ...WAITS, connection: 3_000, reply: 3_000 });
    server.behaviour[command] = 'silent';
    expect(await outcome()).toMatch(new RegExp(`^${expected}.*\\(ETIMEDOUT\\)`));
  });

  it('gives up a server that keeps talking without an answer, and mails that wait behind it', async () => {
    const talking: Server = createServer((socket) => {
      socket.on('error', () => undefined);
      const timer = setInterval(() => socket.write('220-still here\r\n'), 50);
      socket.once('close', () => clearInterval(timer));
    });
    await new Promise<void>((listening) => talking.listen(0, '127.0.0.1', listening));
    server = await MailServer.start();
    made = make({ port: (talking.address() as AddressInfo).port }, { waits: { ...WAITS, mail: 500 } });
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => send(`<${index}@x.example>`)));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['delayed']));
    expect(outcomes[0]).toMatchObject({ reason: expect.stringMatching(/did not answer in time/) });
    await made.mailer.close();
    await new Promise((closed) => talking.close(closed));
  });

  it('opens few connections, however many mails wait', async () => {
    await begin();
    server.behaviour.delay = 20;
    const outcomes = await Promise.all(Array.from({ length: 100 }, (_, index) => send(`<${index}@x.example>`)));
    expect(outcomes.filter(({ kind }) => kind === 'sent')).toHaveLength(100);
    expect(new Set(server.taken.map(({ raw }) => idOf(raw))).size).toBe(100);
    expect(server.seen.most).toBeLessThanOrEqual(MAIL_CONNECTIONS.together);
  });

  it('at its end, waits for mails that are under way, and for no silent server', async () => {
    await begin();
    server.behaviour.delay = 300;
    const slow = send();
    await arrived();
    await made.mailer.close();
    expect(await slow).toEqual({ kind: 'sent' });
    while (server.open > 0) await thisMachine.time.pause(5);

    await server.stop();
    await begin(undefined, {}, { ...WAITS, end: 200 });
    server.behaviour.data = 'silent';
    const lost = Array.from({ length: 20 }, (_, index) => send(`<${index}@x.example>`));
    await arrived();
    await made.mailer.close();
    const kinds = (await Promise.all(lost)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'unknown')).toHaveLength(server.seen.mails);
    expect(kinds.filter((kind) => kind === 'delayed')).toHaveLength(20 - server.seen.mails);
  });

  const arrived = async (): Promise<void> => {
    while (server.seen.mails === 0) await thisMachine.time.pause(5);
  };

  describe('reasons are kept for ever, so they', () => {
    it('repeat neither the address nor a part of it, in any form', async () => {
      await begin();
      const secret = Buffer.from('user ada, password hunter2hunter2').toString('base64');
      const words = `5.1.1 <Ada@Example.com>: no ADA at example.com (${secret}) for eve+x@other.example\u0007, ada%40example.com`;
      server.behaviour.rcpt = { code: 550, words };
      const result = await outcome();
      expect(result).toBe('refused: it says 550 5.1.1 … no … at … (…) for … , …%40…');
    });

    it('are short, however much the server says', async () => {
      await begin();
      server.behaviour.rcpt = { code: 550, words: 'no no '.repeat(1_000) };
      const result = await outcome();
      expect(result.length).toBeLessThan(LONGEST_REPLY + 50);
      server.behaviour.rcpt = { code: 550, words: 'x'.repeat(2 * MAIL_CONNECTIONS.reply) };
      expect(await outcome()).toMatch(/^delayed: it does not answer like a mail server/);
    });
  });

  describe('a login', () => {
    const login = { user: 'shop', password: 'pass word+1' };
    const asking = (accepts: boolean): SMTPServerOptions => ({
      allowInsecureAuth: true,
      onAuth({ username, password }, _, done) {
        if (accepts && username === login.user && password === login.password) done(null, { user: 1 });
        else done(Object.assign(new Error(`no ${username} ${password}`), { responseCode: 535 }));
      },
    });

    it('is made with user and password', async () => {
      await begin(asking(true), { login });
      expect(await outcome()).toBe('sent');
    });

    it('that the server refuses delays mails; reason and notice repeat neither user nor password', async () => {
      await begin(asking(false), { login });
      expect(await outcome()).toBe('delayed: it does not accept the login in SMTP_URL: 535 no … …');
      expect(made.notices).toEqual([expect.stringMatching(/535 no … …$/)]);
      expect(server.taken).toEqual([]);
    });

    it('that the server asks for, and nobody has set, delays mails', async () => {
      await begin(asking(true));
      expect(await outcome()).toMatch(/^delayed: it does not accept the login in SMTP_URL: 530/);
    });

    it('that the server does not know delays mails: it may be another server', async () => {
      await begin({ disabledCommands: ['AUTH', 'STARTTLS'] }, { login });
      expect(await outcome()).toMatch(/^delayed: it /);
      expect(server.taken).toEqual([]);
    });
  });
});

describe('F4: what is wrong with a server', () => {
  it('is logged once while it lasts, and its end too', async () => {
    const server = await MailServer.start();
    const { mailer, notices } = make({ port: server.port });
    const { port } = server;
    server.behaviour.connect = { code: 554, words: 'closed today' };
    for (let tries = 0; tries < 3; tries += 1) await mailer.send(MAIL);
    server.behaviour.connect = undefined;
    for (let tries = 0; tries < 3; tries += 1) await mailer.send(MAIL);
    await server.stop();
    await mailer.send(MAIL);
    await mailer.close();
    expect(notices).toEqual([
      `the mail server 127.0.0.1:${port} takes no mails: 554 closed today`,
      undefined,
      expect.stringMatching(/^the mail server 127\.0\.0\.1:\d+ cannot be reached, because nothing listens there/),
    ]);
  });

  it('is not what it says about one mail', async () => {
    const server = await MailServer.start();
    const { mailer, notices } = make({ port: server.port });
    server.behaviour.rcpt = { code: 550, words: 'no' };
    await mailer.send(MAIL);
    server.behaviour.rcpt = { code: 450, words: 'later' };
    await mailer.send(MAIL);
    await mailer.close();
    await server.stop();
    expect(notices).toEqual([]);
  });

  it('may be its name', async () => {
    const { mailer } = make({ host: 'mail.invalid', port: 25 });
    expect(await mailer.send(MAIL)).toMatchObject({
      kind: 'delayed',
      reason: expect.stringMatching(/^the mail server mail\.invalid:25 has a name that cannot be resolved/),
    });
    await mailer.close();
  });
});

if (!hasOpenssl)
  process.stderr.write('openssl is missing on this machine: the tests of TLS to mail servers DID NOT RUN.\n');

(hasOpenssl ? describe : describe.skip)('H3: TLS to the server', () => {
  const folder = tempFolder();
  let ours: Authority;
  let key: Buffer;
  let cert: Buffer;
  beforeAll(() => {
    ours = new Authority(folder.path);
    const files = ours.issue('mail', 'EC');
    [key, cert] = [readFileSync(files.key), readFileSync(files.cert)];
  });
  afterAll(() => folder.remove());

  const sendTo = async (options: SMTPServerOptions, more: Partial<SmtpServer>): Promise<string> => {
    const server = await MailServer.start(options);
    const { mailer } = make({ port: server.port, ...more });
    const result = await mailer.send(MAIL);
    await mailer.close();
    await server.stop();
    expect(server.taken).toHaveLength(result.kind === 'sent' ? 1 : 0);
    return result.kind === 'sent' ? 'sent' : `${result.kind}: ${result.reason.replace(/^the mail server \S+/, 'it')}`;
  };

  it.each([
    ['from the first byte', 'always', true],
    ['by STARTTLS', 'starttls', false],
  ] as const)('%s, with a certificate of the named authority', async (_, tls, secure) => {
    expect(await sendTo({ key, cert, secure }, { tls, ca: Buffer.from(ours.pem) })).toBe('sent');
  });

  it.each([
    ['always', true],
    ['starttls', false],
  ] as const)('%s: a certificate that nobody vouches for is refused, and the reason says so', async (tls, secure) => {
    expect(await sendTo({ key, cert, secure }, { tls })).toMatch(
      /^delayed: it has a certificate that nobody signed whom this machine trusts: set tlsCAFile .* \(UNABLE_TO_/,
    );
  });

  it.each([
    ['always', true],
    ['starttls', false],
  ] as const)('%s: a certificate for another name is refused, and the reason says so', async (tls, secure) => {
    expect(await sendTo({ key, cert, secure }, { tls, ca: Buffer.from(ours.pem), host: 'localhost' })).toMatch(
      /^delayed: it has a certificate for another name: .* \(ERR_TLS_CERT_ALTNAME_INVALID\)$/,
    );
  });

  it('a server that cannot change to TLS gets no mail and no password', async () => {
    let asked = 0;
    const login = { user: 'shop', password: 'secret' };
    const options: SMTPServerOptions = {
      allowInsecureAuth: true,
      onAuth(_, __, done) {
        asked += 1;
        done(null, { user: 1 });
      },
    };
    expect(await sendTo(options, { tls: 'starttls', login })).toMatch(/^delayed: it offers no TLS/);
    expect(asked).toBe(0);
  });

  it('smtps:// at a port without TLS says so', async () => {
    expect(await sendTo({}, { tls: 'always' })).toMatch(/^delayed: it does not speak TLS there/);
  });
});
