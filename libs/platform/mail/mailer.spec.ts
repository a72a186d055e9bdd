import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { thisMachine } from '#adapters/machine';
import { MAIL } from '../../../test/contracts/mailer.contract.js';
import { checkDkim } from '../../../test/support/dkim.js';
import { MailServer } from '../../../test/support/mail-server.js';
import { parsed } from '../../../test/support/parsed-mail.js';
import { RunningService } from '../../../test/support/running-service.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { readConfig } from '../config.js';
import type { Environment } from '../environment.js';
import { openMailer, readMailFiles } from './mailer.js';

const clock = { now: () => Date.UTC(2026, 0, 1) };
const folder = tempFolder();
afterAll(() => folder.remove());
const fileOf = (name: string, content: string): string => {
  const path = join(folder.path, name);
  writeFileSync(path, content);
  return path;
};
const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const DKIM = { DKIM_DOMAIN: 'example.com', DKIM_SELECTOR: 'deals' };

describe('H3: the settings of mails', () => {
  const MAIL_FROM = 'deals@example.com';
  const smtpOf = (SMTP_URL: string): unknown => readConfig({ SMTP_URL, MAIL_FROM }).smtp;
  const usual = { host: 'smtp.example.com', port: 587, tls: 'starttls', login: undefined, tlsCAFile: undefined };

  it.each([
    ['smtp://smtp.example.com', usual],
    ['smtps://smtp.example.com/', { ...usual, port: 465, tls: 'always' }],
    ['smtp://smtp.example.com:2525', { ...usual, port: 2525 }],
    ['smtp://smtp.example.com?tls=true', usual],
    ['smtp://relay:25?tls=false', { ...usual, host: 'relay', port: 25, tls: 'none' }],
    ['smtp://[::1]:25', { ...usual, host: '::1', port: 25 }],
    [
      'smtps://me%40example.com:a%20b%3A@smtp.example.com?tlsCAFile=/etc/ca.pem',
      {
        ...usual,
        port: 465,
        tls: 'always',
        login: { user: 'me@example.com', password: 'a b:' },
        tlsCAFile: '/etc/ca.pem',
      },
    ],
    [
      'smtp://me:secret@127.0.0.1:25?tls=false',
      { ...usual, host: '127.0.0.1', port: 25, tls: 'none', login: { user: 'me', password: 'secret' } },
    ],
  ])('%s is understood', (url, expected) => {
    expect(smtpOf(url)).toEqual(expected);
  });

  it.each([
    ...['', 'smtp.example.com', 'http://smtp.example.com', 'smtp://', 'smtp://:25', 'smtp://a b', 'smtp://h:99999'],
    ...['smtp://h/path', 'smtp://h#x', 'smtp://h?tls=no', 'smtp://h?tsl=false', 'smtp://me@h', 'smtp://:secret@h'],
    ...['smtps://h?tls=false', 'smtp://h?tlsCAFile=', 'smtp://h?tls=false&tlsCAFile=a.pem', 'smtp://%ff:x@h'],
  ])('SMTP_URL=%s is refused, and the error does not repeat it', (url) => {
    expect(() => smtpOf(url)).toThrow(
      'Invalid environment: SMTP_URL must be a URL such as smtps://user:password@smtp.example.com or smtp://127.0.0.1:25?tls=false.',
    );
  });

  it.each(['smtp.example.com', '127.0.0.1.example.com', '128.0.0.1'])(
    'no password leaves this machine without TLS: not to %s',
    (host) => {
      expect(() => smtpOf(`smtp://me:secret@${host}?tls=false`)).toThrow(
        'SMTP_URL must not have a password together with tls=false, unless the server is on this machine',
      );
    },
  );

  it.each([
    [{ SMTP_URL: 'smtp://h' }, 'MAIL_FROM must be set too, because SMTP_URL is set'],
    [{ ...DKIM }, 'DKIM_KEY must be set too, because DKIM_SELECTOR is set'],
    [{ DKIM_KEY: 'a.pem' }, 'DKIM_DOMAIN must be set too, because DKIM_KEY is set'],
    [{ DKIM_DOMAIN: 'example.com', DKIM_KEY: 'a.pem' }, 'DKIM_SELECTOR must be set too, because DKIM_DOMAIN is set'],
    [{ DKIM_DOMAIN: 'example' }, 'DKIM_DOMAIN must be a domain such as example.com'],
    [{ DKIM_SELECTOR: 'a_b' }, 'DKIM_SELECTOR must be the name of the key in the DNS, such as deals2026'],
    [{ DKIM_KEY: '' }, 'DKIM_KEY must be a PEM file'],
    ...['', 'Deals', 'a@b, c@d', 'Deals <a@b> <c@d>', 'Deals <>', 'Deals\n<a@b>', '<a@b> Deals'].map(
      (each) => [{ MAIL_FROM: each }, 'MAIL_FROM must be an address such as Deals <deals@example.com>'] as const,
    ),
  ])('%j is refused by name', (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message);
  });

  it.each([
    ['deals@example.com', { name: '', address: 'deals@example.com' }],
    ['<deals@example.com>', { name: '', address: 'deals@example.com' }],
    ['Spa & Müller <deals@example.com>', { name: 'Spa & Müller', address: 'deals@example.com' }],
    ['"Deals, Inc." <deals@example.com>', { name: 'Deals, Inc.', address: 'deals@example.com' }],
  ])('MAIL_FROM=%s is understood', (setting, expected) => {
    expect(readConfig({ MAIL_FROM: setting }).mailFrom).toEqual(expected);
  });

  it.each([
    ['no key', 'nothing'],
    ['a key of another kind', pem(generateKeyPairSync('ed25519').privateKey)],
    ['a short key', pem(generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey)],
  ])('DKIM_KEY must not hold %s', (_, content) => {
    const path = fileOf('wrong.pem', content);
    expect(() => readMailFiles(readConfig({ ...DKIM, DKIM_KEY: path }))).toThrow(
      new RegExp(`^DKIM_KEY: ${path} must hold (a private|an RSA) key`),
    );
  });

  it('a missing file stops the start by name, before anything is written', async () => {
    const dataDir = join(folder.path, 'new');
    for (const [env, words] of [
      [{ ...DKIM, DKIM_KEY: '/no/key.pem' }, 'DKIM_KEY: /no/key.pem must be a PEM file that the service can read'],
      [
        { SMTP_URL: 'smtp://h?tlsCAFile=/no/ca.pem', MAIL_FROM },
        'tlsCAFile in SMTP_URL: /no/ca.pem must be a PEM file',
      ],
    ] as const) {
      await expect(RunningService.start({ dataDir, env })).rejects.toThrow(words);
    }
    expect(readdirSync(folder.path)).not.toContain('new');
  });
});

describe('F4, H3: mails leave', () => {
  const key = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const lines: string[] = [];
  const logger = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(line) });
  const open = (environment: Environment) => {
    const config = readConfig({ DATA_DIR: folder.path, ...environment });
    return openMailer(config, readMailFiles(config), clock, thisMachine, logger);
  };

  it('into DATA_DIR/outbox by default, from nobody that a reader could answer', async () => {
    const mailer = await open({});
    expect(await mailer.send(MAIL)).toEqual({ kind: 'sent' });
    await mailer.close();
    const [name = ''] = readdirSync(join(folder.path, 'outbox'));
    const { headers } = parsed(readFileSync(join(folder.path, 'outbox', name)));
    expect(headers['from']).toEqual(['Holdfast <holdfast@localhost>']);
  });

  it('to the server in SMTP_URL, from MAIL_FROM and signed; what is wrong with the server is logged once', async () => {
    const server = await MailServer.start();
    const { port } = server;
    const mailer = await open({
      SMTP_URL: `smtp://127.0.0.1:${port}?tls=false`,
      MAIL_FROM: 'Deals <deals@example.com>',
      ...DKIM,
      DKIM_KEY: fileOf('dkim.pem', pem(key.privateKey)),
    });
    server.behaviour.connect = { code: 554, words: 'closed' };
    await mailer.send(MAIL);
    await mailer.send(MAIL);
    server.behaviour.connect = undefined;
    expect(await mailer.send(MAIL)).toEqual({ kind: 'sent' });
    await mailer.close();
    await server.stop();
    const [{ raw } = { raw: Buffer.alloc(0) }] = server.taken;
    expect(parsed(raw).headers['from']).toEqual(['Deals <deals@example.com>']);
    expect(checkDkim(raw, key.publicKey)).toMatchObject({ valid: true, domain: 'example.com', selector: 'deals' });
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      { level: 50, msg: `the mail server 127.0.0.1:${port} takes no mails: 554 closed; mails wait meanwhile` },
      { level: 40, msg: 'the mail server takes mails again' },
    ]);
  });
});
