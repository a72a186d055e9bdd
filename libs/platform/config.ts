import { z } from 'zod';
import { isMasterKey, MASTER_KEY_FORM } from '#eventsourcing';
import type { PasswordHashing } from '#people';
import { Proxies, type RateBounds } from '#http';
import { linkFault } from '#kernel';
import { CROSS_ORIGIN, WRITTEN } from '#kernel/bounds';
import type { CertificateFiles } from './certificate.js';
import { MOST_DECLINES, type DeclineLimits } from '#purchasing';
import { isEveryAddress, reachOf } from './reach.js';
import { MAIL_VARIABLES, type SmtpUrl } from './mail/mail-variables.js';
import {
  filled,
  flag,
  logLevel,
  readEnvironment,
  text,
  timeOfDay,
  whole,
  wholeFrom,
  type Environment,
} from './environment.js';

/** The least cost of hashing a password, so that a stolen hash is expensive to guess (OWASP's minimum for argon2id). */
const ARGON2_FLOOR = { ARGON2_MEMORY: 19_456, ARGON2_TIME: 2, ARGON2_PARALLELISM: 1 };

const DECLINES_FORM = `must be <of a card>,<of a user>, each 1 to ${MOST_DECLINES}, or 0 for no limit, such as 5,10`;

/** The least and the most time that a charge may wait for its answer, in milliseconds. */
export const GATEWAY_TIMEOUT = [50, 60_000] as const;

/** The default prefix of stream names. */
const DEFAULT_PREFIX = 'holdfast_';

/** The variables that name servers; the compiler demands one for each server of an engine. */
const SERVER_VARIABLES = {
  eventStoreUrl: 'EVENTSTORE_URL',
  mongoUrl: 'MONGODB_URL',
  redisUrl: 'REDIS_URL',
} as const satisfies Readonly<Record<keyof ServerUrls, string>>;
/** With all of these, several processes can share the work: then nothing that they share is inside one of them. */
const SHARED = Object.values(SERVER_VARIABLES);
const connection = (schemes: readonly string[], example: string): z.ZodType<string, string> =>
  text('connection').regex(new RegExp(`^(${schemes.join('|')})://[^\\s]+$`), {
    error: `must be a URL such as ${example}`,
  });

const ORIGINS = `must be at most ${CROSS_ORIGIN.origins} exact origins such as https://shop.example, with commas between them; http only for this machine`;
const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];

/** Whether a text is an origin as browsers send it. A page that came without TLS must not get tokens, except while it is written. */
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.origin !== text || text.includes('*')) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && THIS_MACHINE.includes(url.hostname));
}

/** Whether URLs of the service can begin with a text: those of coupons and pictures go on after its path. */
function isPublicUrl(text: string): boolean {
  return linkFault(text) === undefined && !/[?#]/.test(text);
}

const VARIABLES = z.object({
  PORT: whole(65_535, 'must be a port, 0 to 65535').optional(),
  HOST: filled('host', 'must be an address').default('127.0.0.1'),
  DATA_DIR: filled('path', 'must be a folder').default('./data'),
  PUBLIC_URL: text('url')
    .refine(isPublicUrl, {
      error: 'must be a URL such as https://deals.example.com, without user name, query and fragment',
    })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  TLS_CERT: filled('path', 'must be a PEM file').optional(),
  TLS_KEY: filled('path', 'must be a PEM file').optional(),
  TRUSTED_PROXIES: text('several')
    .transform((settings, context) => {
      try {
        return new Proxies(settings.split(',').map((range) => range.trim()));
      } catch {
        context.addIssue({
          code: 'custom',
          message: 'must be addresses or ranges such as 10.0.0.0/8, with commas between them',
        });
        return z.NEVER;
      }
    })
    .default(() => new Proxies()),
  RATE_LIMIT: text('word')
    .regex(/^[1-9]\d{0,8}\/[1-9]\d{0,4}$/, {
      error: 'must be <requests>/<seconds>, such as 100/60; leave it out for no limit',
    })
    .transform((settings) => {
      const [requests, seconds] = settings.split('/').map(Number);
      return { requests: requests ?? 0, seconds: seconds ?? 0 };
    })
    .optional(),
  WRITE_BYTES_PER_SECOND: whole(WRITTEN.most, `must be bytes, at most ${WRITTEN.most}, or 0 for no limit`).default(
    WRITTEN.perSecond,
  ),
  CORS_ORIGINS: text('several')
    .transform((settings, context) => {
      const origins = new Set(settings.split(',').map((origin) => origin.trim()));
      const wrong = [...origins].find((origin) => !isOrigin(origin));
      if (wrong === undefined && origins.size <= CROSS_ORIGIN.origins) return origins;
      context.addIssue({ code: 'custom', message: ORIGINS });
      return z.NEVER;
    })
    .default(() => new Set<string>()),
  EVENTSTORE_URL: connection(
    ['esdb', 'kurrentdb', 'kdb', 'kurrent'].flatMap((scheme) => [scheme, `${scheme}\\+discover`]),
    'esdb://127.0.0.1:2113?tls=false',
  ).optional(),
  EVENTSTORE_PREFIX: text('word')
    .regex(/^[a-z0-9_]{0,40}$/, { error: 'must have only a-z, 0-9 and _, at most 40' })
    .optional(),
  ACCEPT: text('several')
    .regex(/^[0-9a-f]{12}(,[0-9a-f]{12})*$/, { error: 'must be codes of findings, with commas between them' })
    .transform((settings): ReadonlySet<string> => new Set(settings.split(',')))
    .default(() => new Set<string>()),
  MONGODB_URL: connection(['mongodb', 'mongodb\\+srv'], 'mongodb://127.0.0.1:27017/holdfast').optional(),
  REDIS_URL: connection(['redis', 'rediss'], 'redis://127.0.0.1:6379').optional(),
  MASTER_KEY: text('word').refine(isMasterKey, { error: MASTER_KEY_FORM }).optional(),
  DEMO: flag(true),
  TEST_CLOCK: flag(false),
  TEST_TIME: text('word')
    .pipe(z.iso.datetime({ error: 'must be a time such as 2030-01-01T00:00:00Z' }))
    .transform((settings) => Date.parse(settings))
    .optional(),
  TIMERS: flag(true),
  ACCESS_TOKENS_SUNSET: text('word')
    .pipe(z.iso.date({ error: 'must be a day such as 2027-12-31' }))
    .default('2027-12-31'),
  SIGNUP_CREDIT: whole(1_000_000_000_000, 'must be cents').default(0),
  ARGON2_MEMORY: whole(4_194_304, 'must be KiB, at most 4194304').default(ARGON2_FLOOR.ARGON2_MEMORY),
  ARGON2_TIME: whole(1_000, 'must be passes, at most 1000').default(ARGON2_FLOOR.ARGON2_TIME),
  ARGON2_PARALLELISM: whole(255, 'must be threads, at most 255').default(ARGON2_FLOOR.ARGON2_PARALLELISM),
  SANDBOX_GATEWAY_URL: text('url')
    .pipe(z.url({ protocol: /^http$/, error: 'must be a URL such as http://127.0.0.1:3900' }))
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  GATEWAY_TIMEOUT: wholeFrom(...GATEWAY_TIMEOUT, `must be milliseconds, ${GATEWAY_TIMEOUT.join(' to ')}`).default(
    10_000,
  ),
  DECLINES_PER_HOUR: text('word')
    .regex(/^(0|\d{1,3},\d{1,3})$/, { error: DECLINES_FORM })
    .transform((settings) => {
      const [card, user = 0] = settings.split(',').map(Number);
      return { card: card || null, user: user || null };
    })
    .refine(({ card, user }) => Math.max(card ?? 0, user ?? 0) <= MOST_DECLINES, { error: DECLINES_FORM })
    .default({ card: 5, user: 10 }),
  ...MAIL_VARIABLES,
  DAILY_UPDATE_AT: timeOfDay('must be a time of day in UTC such as 13:30').optional(),
  GEOIP_DB: filled('path', 'must be the path of an MMDB file').optional(),
  LOG_LEVEL: logLevel,
  SPLIT_APPENDS: flag(false),
  FAILPOINT: text('word')
    .regex(/^log\.append=(\d+|held)$/, { error: 'must be log.append=<number>, or log.append=held' })
    .transform((setting) => setting.slice(setting.indexOf('=') + 1))
    .transform((after) => (after === 'held' ? after : { afterAppend: Number(after) }))
    .optional(),
});

/** The default ports. A worker answers only health checks, and takes any free port. */
const DEFAULT_PORTS = { api: 3000, worker: 0 };

const ENVIRONMENT = VARIABLES.superRefine((settings, context) => {
  for (const [name, other] of [
    ['TLS_CERT', 'TLS_KEY'],
    ['TLS_KEY', 'TLS_CERT'],
    ['MAIL_FROM', 'SMTP_URL'],
    ['DKIM_DOMAIN', 'DKIM_KEY'],
    ['DKIM_SELECTOR', 'DKIM_DOMAIN'],
    ['DKIM_KEY', 'DKIM_SELECTOR'],
  ] as const) {
    if (settings[name] !== undefined || settings[other] === undefined) continue;
    context.addIssue({ code: 'custom', path: [name], message: `must be set too, because ${other} is set` });
  }
  if (settings.TEST_CLOCK) return;
  if (settings.TEST_TIME !== undefined)
    context.addIssue({ code: 'custom', path: ['TEST_TIME'], message: 'must not be set without TEST_CLOCK' });
  for (const [name, floor] of Object.entries(ARGON2_FLOOR)) {
    if (settings[name as keyof typeof ARGON2_FLOOR] >= floor) continue;
    context.addIssue({ code: 'custom', path: [name], message: `must be at least ${floor}` });
  }
});

/** The names of all variables that a process reads. */
export const VARIABLE_NAMES: readonly string[] = Object.keys(VARIABLES.shape);

/**
 * The role of a process. `all`: it does everything, with its own data folder, on any engines. If all three engines are servers:
 * `api` answers calls, and `worker` builds views and does due work.
 */
export type Role = 'all' | 'api' | 'worker';

/** The settings that name the servers of engines. Without one, its part is in the data folder or in the process. */
export interface ServerUrls {
  /** The connection string of EventStoreDB; undefined: the log is a file. */
  readonly eventStoreUrl: string | undefined;
  /** The server of views, keys, vault and kept answers; undefined: they are files. */
  readonly mongoUrl: string | undefined;
  /** The server of the jobs of work lists; undefined: this process has timers. */
  readonly redisUrl: string | undefined;
}

/** The settings of a process. */
export interface Config extends ServerUrls {
  readonly role: Role;
  /** The prefix of every stream name there, so that several installations can share a server. */
  readonly eventStorePrefix: string;
  /** The codes of accepted findings. */
  readonly accept: ReadonlySet<string>;
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly publicUrl: string | undefined;
  /** Set if the service itself speaks TLS. */
  readonly tls: CertificateFiles | undefined;
  readonly proxies: Proxies;
  readonly rateLimit: RateBounds | undefined;
  /** Bytes that each partner may write per second through this process; undefined: any number. */
  readonly writeBytesPerSecond: number | undefined;
  /** The origins whose pages may call with a user's access token, as browsers send them. */
  readonly corsOrigins: ReadonlySet<string>;
  readonly masterKey: string | undefined;
  readonly demo: boolean;
  readonly testClock: boolean;
  /** The time that the machine's clock shows at the start, and runs on from (for tests, only with the test clock). */
  readonly testTime: number | undefined;
  /** false: due work waits until somebody asks for it (for tests). */
  readonly timers: boolean;
  /** When issuing access tokens will be removed: a day, `YYYY-MM-DD`. */
  readonly accessTokensSunset: string;
  /** Cents. */
  readonly signupCredit: number;
  /** The cost of hashing passwords; below the floor only with the test clock. */
  readonly passwordHashing: PasswordHashing;
  /** The URL of the sandbox gateway; undefined: it runs in this process. */
  readonly sandboxGatewayUrl: string | undefined;
  /** Milliseconds that a call to the gateway waits for its answer. */
  readonly gatewayTimeout: number;
  /** The declines of an hour after which a card or a user has to wait. */
  readonly declineLimits: DeclineLimits;
  /** The server that takes mails; undefined: they are files in the outbox. */
  readonly smtp: SmtpUrl | undefined;
  /** Whom mails come from; set if there is a server. */
  readonly mailFrom: { readonly name: string; readonly address: string } | undefined;
  /** What signs mails; the key is the path of a PEM file. */
  readonly dkim: { readonly domain: string; readonly selector: string; readonly key: string } | undefined;
  /** When the daily update goes out, in milliseconds after midnight in UTC; undefined: never. */
  readonly dailyUpdateAt: number | undefined;
  /** The MMDB file with the places of IP addresses. */
  readonly geoipDb: string | undefined;
  readonly logLevel: string;
  /** Each append has its own sync, as on a server without transactions over streams (for tests). */
  readonly splitAppends: boolean;
  /** After which append the process kills itself; `held`: the log's writer waits where a file says (for tests). */
  readonly failpoint: { readonly afterAppend: number } | 'held' | undefined;
}

/**
 * Reads the environment.
 * @param program the program that reads it
 * @throws Error that names each wrong variable and says what it should be
 */
export function readConfig(environment: Environment, program: 'api' | 'worker' = 'api'): Config {
  const settings = readEnvironment(ENVIRONMENT, environment);
  if (program === 'api') requirePublicUrl(settings);
  const role = program === 'worker' || SHARED.every((name) => settings[name] !== undefined) ? program : 'all';
  if (role !== 'all') requireShared(settings, role);
  return {
    role,
    eventStoreUrl: settings.EVENTSTORE_URL,
    eventStorePrefix: settings.EVENTSTORE_PREFIX ?? DEFAULT_PREFIX,
    accept: settings.ACCEPT,
    mongoUrl: settings.MONGODB_URL,
    redisUrl: settings.REDIS_URL,
    port: settings.PORT ?? DEFAULT_PORTS[program],
    host: settings.HOST,
    dataDir: settings.DATA_DIR,
    publicUrl: settings.PUBLIC_URL,
    tls:
      settings.TLS_CERT === undefined || settings.TLS_KEY === undefined
        ? undefined
        : { cert: settings.TLS_CERT, key: settings.TLS_KEY },
    proxies: settings.TRUSTED_PROXIES,
    rateLimit: settings.RATE_LIMIT,
    writeBytesPerSecond: settings.WRITE_BYTES_PER_SECOND || undefined,
    corsOrigins: settings.CORS_ORIGINS,
    masterKey: settings.MASTER_KEY,
    demo: settings.DEMO,
    testClock: settings.TEST_CLOCK,
    testTime: settings.TEST_TIME,
    timers: settings.TIMERS,
    accessTokensSunset: settings.ACCESS_TOKENS_SUNSET,
    signupCredit: settings.SIGNUP_CREDIT,
    passwordHashing: {
      memory: settings.ARGON2_MEMORY,
      iterations: settings.ARGON2_TIME,
      parallelism: settings.ARGON2_PARALLELISM,
    },
    sandboxGatewayUrl: settings.SANDBOX_GATEWAY_URL,
    gatewayTimeout: settings.GATEWAY_TIMEOUT,
    declineLimits: settings.DECLINES_PER_HOUR,
    smtp: settings.SMTP_URL,
    mailFrom: settings.MAIL_FROM,
    dkim: dkimOf(settings),
    dailyUpdateAt: settings.DAILY_UPDATE_AT,
    geoipDb: settings.GEOIP_DB,
    logLevel: settings.LOG_LEVEL,
    splitAppends: settings.SPLIT_APPENDS,
    failpoint: settings.FAILPOINT,
  };
}

/** All three are set, or none. */
function dkimOf({
  DKIM_DOMAIN: domain,
  DKIM_SELECTOR: selector,
  DKIM_KEY: key,
}: z.output<typeof VARIABLES>): Config['dkim'] {
  return domain === undefined || selector === undefined || key === undefined ? undefined : { domain, selector, key };
}

/** @throws Error if the URLs of coupons and pictures would begin with such an address: they stay in use for years */
function requirePublicUrl({ HOST, PUBLIC_URL, PORT, TLS_CERT, TRUSTED_PROXIES }: z.output<typeof VARIABLES>): void {
  if (PUBLIC_URL !== undefined || !isEveryAddress(HOST)) return;
  const { advice } = reachOf({
    host: HOST,
    port: PORT ?? DEFAULT_PORTS.api,
    tls: TLS_CERT !== undefined,
    behindProxies: TRUSTED_PROXIES.exist,
  });
  throw new Error(
    `Invalid environment: PUBLIC_URL must be set if HOST is ${HOST}, because coupons, pictures and links begin with it: ` +
      `set it to the public URL of the service, such as https://deals.example.com.${advice === undefined ? '' : ` ${advice}`}`,
  );
}

/** @throws Error that names the missing settings of processes that share their engines, and the links of their mails */
function requireShared(settings: z.output<typeof VARIABLES>, role: 'api' | 'worker'): void {
  // A worker listens at an address that serves no partner, so the links of its mails cannot begin with that.
  const needed = [...SHARED, 'SANDBOX_GATEWAY_URL', ...(role === 'worker' ? (['PUBLIC_URL'] as const) : [])] as const;
  const missing = needed.filter((name) => settings[name] === undefined);
  if (missing.length === 0) return;
  throw new Error(
    `Invalid environment: ${missing.join(' and ')} must be set for ${role === 'api' ? 'an API beside workers' : 'a worker'}, ` +
      `because processes that work together share ${needed.join(', ')}.`,
  );
}
