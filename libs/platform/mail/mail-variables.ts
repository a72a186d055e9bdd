import { isIP } from 'node:net';
import { z } from 'zod';
import { emailFault } from '#kernel';
import { filled, text } from '../environment.js';

/** What `SMTP_URL` says. */
export interface SmtpUrl {
  readonly host: string;
  readonly port: number;
  readonly tls: 'always' | 'starttls' | 'none';
  readonly login: { readonly user: string; readonly password: string } | undefined;
  /** The path of a PEM file. */
  readonly tlsCAFile: string | undefined;
}

const NO_URL = 'must be a URL such as smtps://user:password@smtp.example.com or smtp://127.0.0.1:25?tls=false';
const IN_CLEAR = 'must not have a password together with tls=false, unless the server is on this machine';

/** The usual ports: with TLS from the first byte, and for mails that programs hand in. */
const PORTS: Readonly<Record<string, number>> = { 'smtps:': 465, 'smtp:': 587 };

const FROM = /^(?<name>[^<>\p{Cc}]*?) *<(?<address>[^<>]*)>$/u;

/** The variables of mails. */
export const MAIL_VARIABLES = {
  SMTP_URL: text('connection')
    .transform((setting, context): SmtpUrl => {
      const read = smtpUrl(setting);
      if (typeof read === 'object') return read;
      context.addIssue({ code: 'custom', message: read });
      return z.NEVER;
    })
    .optional(),
  MAIL_FROM: text('sender')
    .transform((setting, context) => {
      const { name = '', address = setting } = FROM.exec(setting)?.groups ?? {};
      const fault = emailFault(address);
      if (fault === undefined) return { name: name.replace(/^"(.*)"$/, '$1'), address };
      context.addIssue({ code: 'custom', message: `must be an address such as Deals <deals@example.com>: ${fault}` });
      return z.NEVER;
    })
    .optional(),
  DKIM_DOMAIN: text('host')
    .regex(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]+$/i, { error: 'must be a domain such as example.com' })
    .optional(),
  DKIM_SELECTOR: text('word')
    .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i, { error: 'must be the name of the key in the DNS, such as deals2026' })
    .optional(),
  DKIM_KEY: filled('path', 'must be a PEM file').optional(),
};

/** @returns the setting, or why it is none */
function smtpUrl(setting: string): SmtpUrl | string {
  const url = /^smtps?:\/\//.test(setting) ? URL.parse(setting) : null;
  if (url === null || url.hostname === '' || !['', '/'].includes(url.pathname) || url.hash !== '') return NO_URL;
  const { tls, tlsCAFile, ...others } = Object.fromEntries(url.searchParams);
  if (Object.keys(others).length > 0 || !['true', 'false', undefined].includes(tls) || tlsCAFile === '') return NO_URL;
  if (tls === 'false' && (url.protocol === 'smtps:' || tlsCAFile !== undefined)) return NO_URL;
  const login = loginOf(url);
  if (login === 'wrong') return NO_URL;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (tls === 'false' && login !== undefined && !isThisMachine(host)) return IN_CLEAR;
  return {
    host,
    port: url.port === '' ? (PORTS[url.protocol] ?? 0) : Number(url.port),
    tls: url.protocol === 'smtps:' ? 'always' : tls === 'false' ? 'none' : 'starttls',
    login,
    tlsCAFile,
  };
}

/** Both or neither: no server asks for a user or a password alone. */
function loginOf({ username, password }: URL): SmtpUrl['login'] | 'wrong' {
  if (username === '' && password === '') return undefined;
  if (username === '' || password === '') return 'wrong';
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return 'wrong';
  }
}

/** Whether nothing leaves this machine on the way to the host. */
function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
