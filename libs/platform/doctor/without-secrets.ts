import { isValid } from '../variables.js';

/**
 * How the value of a setting is shown. `plain`: it is a number, a word or a switch. `url`: without user, password and query.
 * `host`: without the path, too, because some collectors have their secret there. `hidden`: that it is set, and nothing else: keys,
 * files (a path may have somebody's name), addresses of persons.
 */
export type Shown = 'plain' | 'url' | 'host' | 'hidden';

/** A setting that is not here is hidden. */
const SHOWN: Readonly<Record<string, Exclude<Shown, 'hidden'>>> = {
  PORT: 'plain',
  HOST: 'plain',
  ADMIN_HOST: 'plain',
  PUBLIC_URL: 'url',
  RATE_LIMIT: 'plain',
  WRITE_BYTES_PER_SECOND: 'plain',
  EVENTSTORE_URL: 'url',
  EVENTSTORE_PREFIX: 'plain',
  ACCEPT: 'plain',
  MONGODB_URL: 'url',
  REDIS_URL: 'url',
  SANDBOX_GATEWAY_URL: 'url',
  SMTP_URL: 'url',
  DKIM_DOMAIN: 'plain',
  DEMO: 'plain',
  TEST_CLOCK: 'plain',
  TEST_TIME: 'plain',
  TIMERS: 'plain',
  METRICS: 'plain',
  SELF_AUDIT: 'plain',
  ACCESS_TOKENS_SUNSET: 'plain',
  SIGNUP_CREDIT: 'plain',
  ARGON2_MEMORY: 'plain',
  ARGON2_TIME: 'plain',
  ARGON2_PARALLELISM: 'plain',
  GATEWAY_TIMEOUT: 'plain',
  DECLINES_PER_HOUR: 'plain',
  DAILY_UPDATE_AT: 'plain',
  LOG_LEVEL: 'plain',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'host',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'plain',
  OTEL_EXPORTER_OTLP_TIMEOUT: 'plain',
  OTEL_TRACES_SAMPLER: 'plain',
  OTEL_TRACES_SAMPLER_ARG: 'plain',
  SPLIT_APPENDS: 'plain',
  FAILPOINT: 'plain',
};

/**
 * The value of a setting for strangers; null if it is hidden, and if no start takes it: somebody may have put a secret in the wrong
 * place.
 */
export function shownValue(name: string, value: string): string | null {
  const how = SHOWN[name] ?? 'hidden';
  if (how === 'hidden' || !isValid(name, value)) return null;
  if (how === 'plain') return value;
  const bare = bareUrl(value);
  return how === 'host' && bare !== null ? bare.replace(PATH, '') : bare;
}

/** What follows the host of a bare URL. */
const PATH = /(?<=:\/\/[^/]*)\/.*$/;

/** A host, or an address in brackets, with its port. */
const HOST = String.raw`(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?`;
const USER = '(?:[^@/?#]*@)?';
const FORM = new RegExp(`^([a-z][a-z0-9+.-]*://)${USER}(${HOST}(?:,${HOST})*)(/[^@?#]*)?(?:[?#][^@]*)?$`, 'i');

/**
 * A URL without user, password and query; null if it is not certain which part is which, as in a password with an `@`, `/` or `?`
 * that is not written `%40`, `%2F` or `%3F`.
 */
export function bareUrl(url: string): string | null {
  const [, scheme, hosts, path = ''] = FORM.exec(url) ?? [];
  return scheme === undefined || hosts === undefined ? null : `${scheme}${hosts}${path}`;
}
