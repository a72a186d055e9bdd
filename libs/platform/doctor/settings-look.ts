import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, readConfig } from '../config.js';
import type { Environment } from '../environment.js';
import { KEY_FILE } from '../folder/inspected-folder.js';
import { adminPlaceOf, adminReachOf } from '../admin-address.js';
import { reachOf } from '../reach.js';
import { VARIABLE_NAMES, wrongVariables } from '../variables.js';

/** What the settings say, as far as they can be read. */
export interface SettingsLook {
  /** The names of the variables that are set. */
  readonly set: readonly string[];
  /** What is wrong with one of them, each with what it should be: a start refuses it. No values. */
  readonly wrong: readonly string[];
  /** The configuration; without the wrong variables if there are any, so that the rest can be checked. */
  readonly config: Config;
}

/** What remains if settings of the others contradict each other: the folder and the servers. */
const FEWEST = [
  'DATA_DIR',
  'MASTER_KEY',
  'ACCEPT',
  'EVENTSTORE_URL',
  'EVENTSTORE_PREFIX',
  'MONGODB_URL',
  'REDIS_URL',
  'SANDBOX_GATEWAY_URL',
  'TLS_CERT',
  'TLS_KEY',
  'PORT',
  'ADMIN_HOST',
];

/** Reads the settings, and goes on without those that are wrong. */
export function lookAtSettings(environment: Environment): SettingsLook {
  const set = VARIABLE_NAMES.filter((name) => environment[name] !== undefined);
  const wrong = wrongVariables(environment);
  const names = new Set(wrong.map(({ name }) => name));
  const right = set.filter((name) => !names.has(name));
  const words = wrong.map(({ name, message }) => `${name} ${message}`);
  try {
    return { set, wrong: words, config: readConfig(only(environment, right)) };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Invalid environment: /, '') : String(error);
    const all = words.length === 0 ? [why] : words;
    return { set, wrong: all, config: rest(environment, right) };
  }
}

/** The folder and the servers, or without a shared server too. */
function rest(environment: Environment, right: readonly string[]): Config {
  const few = FEWEST.filter((name) => right.includes(name));
  try {
    return readConfig(only(environment, few));
  } catch {
    const here = few.filter((name) => ['DATA_DIR', 'MASTER_KEY', 'ACCEPT'].includes(name));
    return readConfig(only(environment, here));
  }
}

const only = (environment: Environment, names: readonly string[]): Environment =>
  Object.fromEntries(names.map((name) => [name, environment[name]]));

/** A contradiction between settings that a start takes, and what to do. */
export interface Contradiction {
  readonly what: string;
  readonly todo: string;
}

/** What settings say against each other, although a start takes them. */
export function contradictionsIn({ set, config }: SettingsLook, environment: Environment): readonly Contradiction[] {
  const isSet = (name: string): boolean => set.includes(name);
  const { publicUrl, tls, proxies, host, port, smtp, mailFrom, dkim, dataDir, masterKey, role } = config;
  const overTls = publicUrl?.startsWith('https://');
  const reached = reachOf({ host, port, tls: tls !== undefined, behindProxies: proxies.exist });
  const adminPlace = adminPlaceOf(config);
  const admin = adminPlace && adminReachOf(adminPlace, config);
  const found: (Contradiction | false)[] = [
    overTls === true &&
      tls === undefined &&
      !proxies.exist && {
        what: 'PUBLIC_URL is https, and nothing ends TLS: calls from other machines get 403 (https_required)',
        todo: 'Set TLS_CERT and TLS_KEY, or TRUSTED_PROXIES to the address of the proxy that ends TLS.',
      },
    overTls === false &&
      tls !== undefined && {
        what: 'the service speaks TLS, and PUBLIC_URL is http: links on coupons and in mails do not work',
        todo: 'Begin PUBLIC_URL with https://.',
      },
    reached.advice !== undefined && !proxies.exist && { what: `HOST is ${host}, without TLS`, todo: reached.advice },
    admin?.advice !== undefined &&
      !proxies.exist && { what: 'ADMIN_HOST is no loopback address, and has no TLS', todo: admin.advice },
    smtp !== undefined &&
      publicUrl === undefined && {
        what: 'SMTP_URL is set, and PUBLIC_URL is not: links in mails lead to where the service listens',
        todo: 'Set PUBLIC_URL.',
      },
    config.dailyUpdateAt !== undefined &&
      smtp === undefined && {
        what: 'DAILY_UPDATE_AT is set, and SMTP_URL is not: the mails are files in the outbox, and nobody gets them',
        todo: 'Set SMTP_URL and MAIL_FROM, or unset DAILY_UPDATE_AT.',
      },
    mailFrom !== undefined &&
      smtp === undefined && {
        what: 'MAIL_FROM is set, and SMTP_URL is not',
        todo: 'Set SMTP_URL, or unset MAIL_FROM.',
      },
    dkim !== undefined &&
      mailFrom !== undefined &&
      !isWithin(mailFrom.address.split('@').at(-1) ?? '', dkim.domain) && {
        what: 'DKIM_DOMAIN is not the domain of MAIL_FROM: receivers may not count the signature (DMARC)',
        todo: 'Set DKIM_DOMAIN to the domain of MAIL_FROM.',
      },
    isSet('EVENTSTORE_PREFIX') &&
      !isSet('EVENTSTORE_URL') && {
        what: 'EVENTSTORE_PREFIX is set, and EVENTSTORE_URL is not: the prefix has no effect',
        todo: 'Set EVENTSTORE_URL, or unset EVENTSTORE_PREFIX.',
      },
    masterKey === undefined &&
      role !== 'all' &&
      !existsSync(join(dataDir, KEY_FILE)) && {
        what: `MASTER_KEY is not set, and DATA_DIR has no ${KEY_FILE}: a process that shares its servers does not start`,
        todo: 'Set MASTER_KEY to that of the other processes.',
      },
    isSet('ACCEPT') && {
      what: 'ACCEPT is set: each start accepts the findings with these codes',
      todo: 'Unset ACCEPT after the start that it was meant for.',
    },
    ...FOR_TESTS.map(
      ({ name, unless }) =>
        isSet(name) &&
        !unless.includes(environment[name] ?? '') && {
          what: `${name} is for tests`,
          todo: `Unset ${name} where people buy.`,
        },
    ),
    isSet('SELF_AUDIT') &&
      config.selfAudit === 'off' && { what: 'SELF_AUDIT is off: nobody checks the log', todo: 'Unset SELF_AUDIT.' },
  ];
  return found.filter((each) => each !== false);
}

/** Settings for tests, and their values that have no effect. */
const FOR_TESTS: readonly { readonly name: string; readonly unless: readonly string[] }[] = [
  { name: 'TEST_CLOCK', unless: ['false'] },
  { name: 'TEST_TIME', unless: [] },
  { name: 'TIMERS', unless: ['true'] },
  { name: 'METRICS', unless: ['true'] },
  { name: 'SPLIT_APPENDS', unless: ['false'] },
  { name: 'FAILPOINT', unless: [] },
];

const isWithin = (domain: string, parent: string): boolean =>
  domain.toLowerCase() === parent.toLowerCase() || domain.toLowerCase().endsWith(`.${parent.toLowerCase()}`);

/** The names in a file of settings that no program of Holdfast reads: mostly mistyped. */
export function unknownNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => !VARIABLE_NAMES.includes(name) && !OTHERS.test(name));
}

/** What a file of settings may have besides: for the command line, for Node, and for backups. */
const OTHERS =
  /^(HOLDFAST_URL|OPERATOR_TOKEN|BACKUP_DIR|NODE_\w+|NO_PROXY|PATH|HOME|LANG|LC_\w+|TZ|UV_\w+|SSL_CERT_\w+)$/;
