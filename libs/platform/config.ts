import { relative, resolve } from 'node:path';
import { inUrl, isEveryAddress } from '#kernel';
import { readEnvironment, type Environment } from './environment.js';
import { reachOf } from './reach.js';
import { shownSettings } from './shown-settings.js';
import { ENVIRONMENT, type Settings } from './variables.js';

/** The default prefix of stream names. */
const DEFAULT_PREFIX = 'holdfast_';

/** The variables that name servers of engines, by their settings. Without one, its part is in the data folder or in the process. */
const SERVER_VARIABLES = {
  eventStoreUrl: 'EVENTSTORE_URL',
  mongoUrl: 'MONGODB_URL',
  redisUrl: 'REDIS_URL',
} as const satisfies Readonly<Record<string, keyof Settings>>;
/** The variables that name payment gateways, by their settings. Without one, the sandbox gateway is in the process. */
const GATEWAY_VARIABLES = { sandboxGatewayUrl: 'SANDBOX_GATEWAY_URL' } as const satisfies Readonly<
  Record<string, keyof Settings>
>;
/** With all of these, several processes can share the work: then nothing that they share is inside one of them. */
const SHARED = Object.values(SERVER_VARIABLES);

/** The default ports. A worker answers only health checks, and takes any free port. */
const DEFAULT_PORTS = { api: 3000, worker: 0 };

/**
 * The role of a process. `all`: it does everything, with its own data folder, on any engines. If all three engines are servers:
 * `api` answers calls, and `worker` builds views and does due work.
 */
export type Role = 'all' | 'api' | 'worker';

/** The settings of a process: what the schema of the variables makes of them, under the names that the service uses. */
export type Config = Readonly<ReturnType<typeof configOf>>;

/** The settings that name the servers of engines. */
export type ServerUrls = Pick<Config, keyof typeof SERVER_VARIABLES>;

/** The settings that name payment gateways. */
export type GatewayUrls = Pick<Config, keyof typeof GATEWAY_VARIABLES>;

/**
 * Reads the environment.
 * @param program the program that reads it
 * @throws Error that names each wrong variable and says what it should be
 */
export function readConfig(environment: Environment, program: 'api' | 'worker' = 'api'): Config {
  const settings = readEnvironment(ENVIRONMENT, environment);
  if (program === 'api') requirePublicUrl(settings);
  requireOutside(settings);
  requireOtherAddress(settings, program);
  const role = program === 'worker' || SHARED.every((name) => settings[name] !== undefined) ? program : 'all';
  if (role !== 'all') requireShared(settings, role);
  return configOf(settings, program, role, environment);
}

/** Names what the variables say, as the service calls it. */
function configOf(settings: Settings, program: 'api' | 'worker', role: Role, environment: Environment) {
  return {
    /** The role of this process. */
    role,
    /** The connection string of EventStoreDB; undefined: the log is a file. */
    eventStoreUrl: settings.EVENTSTORE_URL,
    /** The prefix of every stream name there, so that several installations can share a server. */
    eventStorePrefix: settings.EVENTSTORE_PREFIX ?? DEFAULT_PREFIX,
    /** The codes of accepted findings. */
    accept: settings.ACCEPT,
    /** The server of views, keys, vault and stored answers; undefined: they are files. */
    mongoUrl: settings.MONGODB_URL,
    /** The server of the jobs of work lists; undefined: this process has timers. */
    redisUrl: settings.REDIS_URL,
    port: settings.PORT ?? DEFAULT_PORTS[program],
    host: settings.HOST,
    /** Where operators and auditors call, and those who watch the service; undefined: where everybody does. */
    adminAddress: settings.ADMIN_HOST,
    dataDir: settings.DATA_DIR,
    /** The file that says who is erased: outside the data folder, so that no backup of it brings them back. */
    erasuresFile: settings.ERASURES_FILE ?? `${resolve(settings.DATA_DIR)}.erasures`,
    /** The folder of backups that operators may order; undefined: they may not. */
    backupDir: settings.BACKUP_DIR,
    publicUrl: settings.PUBLIC_URL,
    /** Set if the service itself speaks TLS. */
    tls: tlsOf(settings),
    proxies: settings.TRUSTED_PROXIES,
    rateLimit: settings.RATE_LIMIT,
    /** Bytes that each partner may write per second through this process; undefined: any number. */
    writeBytesPerSecond: settings.WRITE_BYTES_PER_SECOND || undefined,
    /** The origins whose pages may call with a user's access token, as browsers send them. */
    corsOrigins: settings.CORS_ORIGINS,
    masterKey: settings.MASTER_KEY,
    demo: settings.DEMO,
    testClock: settings.TEST_CLOCK,
    /** The time that the machine's clock shows at the start, and runs on from (for tests, only with the test clock). */
    testTime: settings.TEST_TIME,
    /** false: due work waits until somebody asks for it (for tests). */
    timers: settings.TIMERS,
    /** false: the process counts and measures nothing, which shows what that costs (for tests). */
    metrics: settings.METRICS,
    /** Whether this process checks the log again and again; `at-once`: from the start and without rests (for tests). */
    selfAudit: settings.SELF_AUDIT,
    /** When issuing access tokens will be removed: a day, `YYYY-MM-DD`. */
    accessTokensSunset: settings.ACCESS_TOKENS_SUNSET,
    /** Cents. */
    signupCredit: settings.SIGNUP_CREDIT,
    /** The cost of hashing passwords; below the floor only with the test clock. */
    passwordHashing: {
      memory: settings.ARGON2_MEMORY,
      iterations: settings.ARGON2_TIME,
      parallelism: settings.ARGON2_PARALLELISM,
    },
    /** The URL of the sandbox gateway; undefined: it runs in this process. */
    sandboxGatewayUrl: settings.SANDBOX_GATEWAY_URL,
    /** Milliseconds that a call to the gateway waits for its answer. */
    gatewayTimeout: settings.GATEWAY_TIMEOUT,
    /** The declines of an hour after which a card or a user has to wait. */
    declineLimits: settings.DECLINES_PER_HOUR,
    /** The server that takes mails; undefined: they are files in the outbox. */
    smtp: settings.SMTP_URL,
    /** Whom mails come from; set if there is a server. */
    mailFrom: settings.MAIL_FROM,
    /** What signs mails; the key is the path of a PEM file. */
    dkim: dkimOf(settings),
    /** When the daily update goes out, in milliseconds after midnight in UTC; undefined: never. */
    dailyUpdateAt: settings.DAILY_UPDATE_AT,
    /** The MMDB file with the places of IP addresses. */
    geoipDb: settings.GEOIP_DB,
    logLevel: settings.LOG_LEVEL,
    /** Which traces go to a collector; undefined: none do. */
    traces: tracesOf(settings),
    /** Each append has its own sync, as on a server without transactions over streams (for tests). */
    splitAppends: settings.SPLIT_APPENDS,
    /** After which append the process kills itself; `held`: the log's writer waits where a file says (for tests). */
    failpoint: settings.FAILPOINT,
    /** All settings, as operators see them. */
    shown: shownSettings(environment),
  };
}

/** Both are set, or none. */
function tlsOf({ TLS_CERT: cert, TLS_KEY: key }: Settings) {
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

/** All three are set, or none. */
function dkimOf({ DKIM_DOMAIN: domain, DKIM_SELECTOR: selector, DKIM_KEY: key }: Settings) {
  return domain === undefined || selector === undefined || key === undefined ? undefined : { domain, selector, key };
}

/** Nothing else is needed here: the exporter reads the other variables itself. */
function tracesOf(settings: Settings) {
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined;
  return { sampler: settings.OTEL_TRACES_SAMPLER, ratio: settings.OTEL_TRACES_SAMPLER_ARG };
}

/** @throws Error if the file of erasures would be in a copy of what it protects */
function requireOutside({ ERASURES_FILE, DATA_DIR, BACKUP_DIR }: Settings): void {
  if (ERASURES_FILE === undefined) return;
  for (const [name, folder] of Object.entries({ DATA_DIR, BACKUP_DIR })) {
    if (folder === undefined || relative(resolve(folder), resolve(ERASURES_FILE)).startsWith('..')) continue;
    throw new Error(
      `Invalid environment: ERASURES_FILE must be outside ${name} (${folder}): an older copy of that folder would have an older file, and bring erased persons back`,
    );
  }
}

/** @throws Error if the two addresses of a process are one */
function requireOtherAddress({ ADMIN_HOST, HOST, PORT }: Settings, program: 'api' | 'worker'): void {
  const port = PORT ?? DEFAULT_PORTS[program];
  if (ADMIN_HOST === undefined || port === 0 || ADMIN_HOST.port !== port) return;
  const hosts = [HOST, ADMIN_HOST.host].map((host) => host.toLowerCase().replace(/^localhost$/, '127.0.0.1'));
  if (hosts[0] !== hosts[1] && !hosts.some(isEveryAddress)) return;
  throw new Error(
    `Invalid environment: ADMIN_HOST must have another port than PORT (${port}), because HOST is ${HOST}, such as ${inUrl(ADMIN_HOST.host)}:${port === 65_535 ? 3_001 : port + 1}.`,
  );
}

/** @throws Error if the URLs of coupons and pictures would begin with such an address: they stay in use for years */
function requirePublicUrl({ HOST, PUBLIC_URL, PORT, TLS_CERT, TRUSTED_PROXIES }: Settings): void {
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
function requireShared(settings: Settings, role: 'api' | 'worker'): void {
  // A worker listens at an address that serves no partner, so the links of its mails cannot begin with that.
  const gateways = Object.values(GATEWAY_VARIABLES);
  const needed = [...SHARED.map((name) => [name]), gateways, ...(role === 'worker' ? [['PUBLIC_URL'] as const] : [])];
  const missing = needed.filter((names) => names.every((name) => settings[name] === undefined)).map(orOf);
  if (missing.length === 0) return;
  throw new Error(
    `Invalid environment: ${missing.join(' and ')} must be set for ${role === 'api' ? 'an API beside workers' : 'a worker'}, ` +
      `because processes that work together share ${needed.map(orOf).join(', ')}.`,
  );
}

function orOf(names: readonly string[]): string {
  return names.join(' or ');
}
