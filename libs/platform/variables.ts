import { z } from 'zod';
import { isMasterKey, MASTER_KEY_FORM } from '#eventsourcing';
import { Proxies } from '#http';
import { linkFault, placeOf } from '#kernel';
import { CROSS_ORIGIN, WRITTEN } from '#kernel/bounds';
import { MOST_DECLINES } from '#purchasing';
import { MAIL_VARIABLES } from './mail/mail-variables.js';
import { TRACE_VARIABLES } from './tracing/trace-variables.js';
import { filled, flag, logLevel, text, timeOfDay, whole, wholeFrom } from './environment.js';

/** The least cost of hashing a password, so that a stolen hash is expensive to guess (OWASP's minimum for argon2id). */
const ARGON2_FLOOR = { ARGON2_MEMORY: 19_456, ARGON2_TIME: 2, ARGON2_PARALLELISM: 1 };

const DECLINES_FORM = `must be <of a card>,<of a user>, each 1 to ${MOST_DECLINES}, or 0 for no limit, such as 5,10`;

/** The least and the most time that a charge may wait for its answer, in milliseconds. */
export const GATEWAY_TIMEOUT = [50, 60_000] as const;

const GATEWAY_FORM = 'must be a URL such as http://127.0.0.1:3900, without user, password and query';

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

const ADMIN_FORM = 'must be <address>:<port>, such as 127.0.0.1:3001 or [::1]:3001';

const VARIABLES = z.object({
  PORT: whole(65_535, 'must be a port, 0 to 65535').optional(),
  HOST: filled('host', 'must be an address').default('127.0.0.1'),
  ADMIN_HOST: text('host')
    .transform((setting, context) => {
      const place = placeOf(setting);
      if (place !== undefined) return place;
      context.addIssue({ code: 'custom', message: ADMIN_FORM });
      return z.NEVER;
    })
    .optional(),
  DATA_DIR: filled('path', 'must be a folder').default('./data'),
  ERASURES_FILE: filled('path', 'must be a file').optional(),
  BACKUP_DIR: filled('path', 'must be a folder').optional(),
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
  METRICS: flag(true),
  SELF_AUDIT: z.enum(['on', 'off', 'at-once'], { error: 'must be on or off' }).default('on'),
  ACCESS_TOKENS_SUNSET: text('word')
    .pipe(z.iso.date({ error: 'must be a day such as 2027-12-31' }))
    .default('2027-12-31'),
  SIGNUP_CREDIT: whole(1_000_000_000_000, 'must be cents').default(0),
  ARGON2_MEMORY: whole(4_194_304, 'must be KiB, at most 4194304').default(ARGON2_FLOOR.ARGON2_MEMORY),
  ARGON2_TIME: whole(1_000, 'must be passes, at most 1000').default(ARGON2_FLOOR.ARGON2_TIME),
  ARGON2_PARALLELISM: whole(255, 'must be threads, at most 255').default(ARGON2_FLOOR.ARGON2_PARALLELISM),
  SANDBOX_GATEWAY_URL: text('url')
    .pipe(z.url({ protocol: /^http$/, error: GATEWAY_FORM }))
    // Calls to such a URL are refused, in words that repeat it.
    .refine((url) => !/[@?#]/.test(url), { error: GATEWAY_FORM })
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
  ...TRACE_VARIABLES,
  SPLIT_APPENDS: flag(false),
  FAILPOINT: text('word')
    .regex(/^log\.append=(\d+|held)$/, { error: 'must be log.append=<number>, or log.append=held' })
    .transform((setting) => setting.slice(setting.indexOf('=') + 1))
    .transform((after) => (after === 'held' ? ('held' as const) : { afterAppend: Number(after) }))
    .optional(),
});

/** All variables of an environment, with what two of them say of each other. */
export const ENVIRONMENT = VARIABLES.superRefine((settings, context) => {
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
 * The variables of an environment that a start refuses, each with what it should be.
 * @returns no values
 */
export function wrongVariables(
  environment: Readonly<Record<string, string | undefined>>,
): readonly { readonly name: string; readonly message: string }[] {
  const { error } = ENVIRONMENT.safeParse(environment);
  return error?.issues.map(({ path, message }) => ({ name: path.join('.'), message })) ?? [];
}

/** Whether a value of a variable is one that a start takes. */
export function isValid(name: string, value: string): boolean {
  const schema = VARIABLES.shape[name as keyof typeof VARIABLES.shape] as z.ZodType | undefined;
  return schema?.safeParse(value).success === true;
}

/** What the variables of an environment say. */
export type Settings = z.output<typeof VARIABLES>;
