import { z } from 'zod';
import { filled, flag, readEnvironment, whole, wholeFrom, type Environment } from './environment.js';

const ENVIRONMENT = z.object({
  PORT: whole(65_535, 'must be a port, 0 to 65535').default(3000),
  HOST: filled('must be an address').default('127.0.0.1'),
  DATA_DIR: filled('must be a folder').default('./data'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be a URL such as https://deals.example.com' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  MASTER_KEY: filled('must be a key').optional(),
  DEMO: flag(true),
  TEST_CLOCK: flag(false),
  TIMERS: flag(true),
  SIGNUP_CREDIT: whole(1_000_000_000_000, 'must be cents').default(0),
  SANDBOX_GATEWAY_URL: z
    .url({ protocol: /^http$/, error: 'must be a URL such as http://127.0.0.1:3900' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  GATEWAY_TIMEOUT: wholeFrom(50, 60_000, 'must be milliseconds, 50 to 60000').default(10_000),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], {
      error: 'must be fatal, error, warn, info, debug or silent',
    })
    .default('info'),
  SPLIT_APPENDS: flag(false),
  FAILPOINT: z
    .string()
    .regex(/^log\.append=\d+$/, { error: 'must be log.append=<number>' })
    .transform((given) => Number(given.slice(given.indexOf('=') + 1)))
    .optional(),
});

/** What the environment says. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly publicUrl: string | undefined;
  readonly masterKey: string | undefined;
  readonly demo: boolean;
  readonly testClock: boolean;
  /** false: nothing is done by itself when its time has come (for tests). */
  readonly timers: boolean;
  /** Cents. */
  readonly signupCredit: number;
  /** Where the sandbox gateway runs; undefined: in this process. */
  readonly sandboxGatewayUrl: string | undefined;
  /** Milliseconds that a call to the gateway waits for its answer. */
  readonly gatewayTimeout: number;
  readonly logLevel: string;
  /** Each append is synced by itself, as on a server without transactions over streams (for tests). */
  readonly splitAppends: boolean;
  /** The process kills itself after this append (for tests). */
  readonly failAfterAppend: number | undefined;
}

/**
 * Reads the environment.
 * @throws Error that names each wrong variable and says what it should be
 */
export function readConfig(environment: Environment): Config {
  const given = readEnvironment(ENVIRONMENT, environment);
  return {
    port: given.PORT,
    host: given.HOST,
    dataDir: given.DATA_DIR,
    publicUrl: given.PUBLIC_URL,
    masterKey: given.MASTER_KEY,
    demo: given.DEMO,
    testClock: given.TEST_CLOCK,
    timers: given.TIMERS,
    signupCredit: given.SIGNUP_CREDIT,
    sandboxGatewayUrl: given.SANDBOX_GATEWAY_URL,
    gatewayTimeout: given.GATEWAY_TIMEOUT,
    logLevel: given.LOG_LEVEL,
    splitAppends: given.SPLIT_APPENDS,
    failAfterAppend: given.FAILPOINT,
  };
}
