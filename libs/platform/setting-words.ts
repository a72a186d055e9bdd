import type { Settings } from './variables.js';

/** A setting in words: what it is for, and what holds without it. */
interface SettingWords {
  readonly means: string;
  /** The default as it is written; where there is none, what happens instead. */
  readonly without: string;
}

const of = (means: string, without: string): SettingWords => ({ means, without });

/** Every setting in words, in the order of `.env.example`. */
export const SETTING_WORDS: Readonly<Record<keyof Settings, SettingWords>> = {
  PORT: of('the port that it listens on', '3000'),
  HOST: of('the address that it listens on', '127.0.0.1'),
  ADMIN_HOST: of('the address for operators, auditors and those who watch the service', 'where everybody calls'),
  PUBLIC_URL: of('the start of URLs in answers, mails and on coupons', 'where it listens'),
  TLS_CERT: of('the certificate with its chain', 'no TLS'),
  TLS_KEY: of('the key of the certificate', 'no TLS'),
  TRUSTED_PROXIES: of('proxies whose X-Forwarded-Proto and X-Forwarded-For count', 'none'),
  RATE_LIMIT: of('how often each partner may call: requests/seconds', 'no limit'),
  WRITE_BYTES_PER_SECOND: of('bytes that each partner may write per second, through one process', '4194304'),
  CORS_ORIGINS: of('origins whose pages may call with an access token of a user', 'none'),
  DATA_DIR: of('the folder of its data', './data'),
  ERASURES_FILE: of('the file that says who was erased', 'beside DATA_DIR'),
  BACKUP_DIR: of('the folder of backups that operators order', 'they may order none'),
  EVENTSTORE_URL: of('EventStoreDB for the log', 'a file in DATA_DIR'),
  EVENTSTORE_PREFIX: of('the prefix of the names of its streams there', 'holdfast_'),
  ACCEPT: of('codes of findings that this start accepts', 'none'),
  MONGODB_URL: of('MongoDB for views, keys, the vault and kept answers', 'files in DATA_DIR'),
  REDIS_URL: of('Redis for the jobs of work lists', 'timers of the process'),
  MASTER_KEY: of('what wraps the keys in the key store', 'DATA_DIR/master.key'),
  SANDBOX_GATEWAY_URL: of('the sandbox gateway, if it is a separate process', 'in the process'),
  GATEWAY_TIMEOUT: of('milliseconds that a purchase waits for the payment gateway', '10000'),
  DECLINES_PER_HOUR: of('declines of a card and of a user within an hour that end further tries', '5,10'),
  SMTP_URL: of('the mail server', 'mails are files in DATA_DIR/outbox'),
  MAIL_FROM: of('whom mails come from', 'nobody'),
  DAILY_UPDATE_AT: of('when subscribers get the deals of their region, in UTC', 'never'),
  DKIM_DOMAIN: of('the domain that signs mails', 'not signed'),
  DKIM_SELECTOR: of('the name of the signing key in the DNS', 'not signed'),
  DKIM_KEY: of('the file of the signing key', 'not signed'),
  ACCESS_TOKENS_SUNSET: of('the day from which on users may get no more access tokens', '2027-12-31'),
  SIGNUP_CREDIT: of('credits of a new user, in cents', '0'),
  ARGON2_MEMORY: of('the cost of hashing a password: KiB', '19456'),
  ARGON2_TIME: of('the cost of hashing a password: passes', '2'),
  ARGON2_PARALLELISM: of('the cost of hashing a password: threads', '1'),
  GEOIP_DB: of('the places of IP addresses', 'none'),
  SELF_AUDIT: of('whether the service checks its log again and again', 'on'),
  LOG_LEVEL: of('the lowest level of the process log', 'info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: of('the collector of traces', 'no traces'),
  OTEL_EXPORTER_OTLP_HEADERS: of('headers of each export of traces', 'none'),
  OTEL_EXPORTER_OTLP_TIMEOUT: of('milliseconds that an export of traces may take', '10000'),
  OTEL_EXPORTER_OTLP_PROTOCOL: of('the protocol of exports of traces', 'http/protobuf'),
  OTEL_SERVICE_NAME: of('what traces call the service', 'holdfast'),
  OTEL_RESOURCE_ATTRIBUTES: of('further attributes of the service in traces', 'none'),
  OTEL_TRACES_SAMPLER: of('which traces are recorded', 'parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: of('the part of the traces, 0 to 1', '1'),
  DEMO: of('whether a first start loads the demo catalogue', 'true'),
  TEST_CLOCK: of('whether operators may move the time of the service forward', 'false'),
  TIMERS: of('for tests: whether due work runs by itself', 'true'),
  METRICS: of('for tests: whether the process measures anything', 'true'),
  TEST_TIME: of('for tests: the time at the start', 'that of the machine'),
  SPLIT_APPENDS: of('for tests: whether each append has its own sync', 'false'),
  FAILPOINT: of('for tests: the append after which the process kills itself', 'none'),
};
