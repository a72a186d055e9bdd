import { thisMachine } from '#adapters/machine';
import type { Instant } from '#kernel';
import { reach } from './redis-connections.js';

/** How long an ended connection waits for the server, in milliseconds. */
const FAREWELL = 100;

/** What a Redis says of itself. */
export interface RedisInspection {
  readonly version: string;
  /** `maxmemory-policy`; undefined if it does not say. */
  readonly policy: string | undefined;
  /** The most bytes that it may use; 0: any number. */
  readonly most: number;
  /** The bytes that it uses. */
  readonly used: number;
  /** Its clock, when it answered. */
  readonly clock: Instant;
  /** This machine's clock at that moment. */
  readonly at: Instant;
}

/**
 * Asks a Redis about itself, and writes nothing.
 * @param within how long it may take to answer, in milliseconds
 * @throws Error with a message that names REDIS_URL, without its password
 */
export async function inspectRedis(url: string, within: number): Promise<RedisInspection> {
  const redis = await reach(url, { within, farewell: FAREWELL });
  try {
    const [server, memory, { said: clock, at }] = await Promise.all([
      redis.info('server'),
      redis.info('memory'),
      redis.time().then((said) => ({ said, at: thisMachine.time.wall() })),
    ]);
    const said = (name: string, text: string): string | undefined => new RegExp(`^${name}:(\\S+)`, 'm').exec(text)?.[1];
    return {
      version: said('redis_version', server) ?? 'unknown',
      policy: said('maxmemory_policy', memory),
      most: Number(said('maxmemory', memory) ?? 0),
      used: Number(said('used_memory', memory) ?? 0),
      clock: Number(clock[0]) * 1_000 + Math.floor(Number(clock[1]) / 1_000),
      at,
    };
  } finally {
    redis.disconnect();
  }
}
