import { Redis, type RedisOptions } from 'ioredis';

/** Milliseconds to wait for Redis at the start, and later for each command that does not wait for jobs. */
const PATIENCE = 5_000;
/** The longest pause between two tries to reconnect, in milliseconds. */
const RETRY = 1_000;

export interface RedisListeners {
  /** For the service's log: Redis has gone away. */
  readonly away: (message: string) => void;
  /** Redis is back, or is not set up as it should be. */
  readonly warn: (message: string) => void;
  readonly back: () => void;
}

/**
 * The connections to one Redis. While Redis is away, `commands` refuses immediately, so that no calls collect in memory;
 * `workers` waits for it, as BullMQ requires of connections that wait for jobs.
 */
export class RedisConnections {
  #closing = false;
  #away = false;

  private constructor(
    readonly commands: Redis,
    readonly workers: Redis,
    listeners: RedisListeners,
  ) {
    // Each failed try to connect is an error; the first one is reported as `away`.
    commands.on('error', () => undefined);
    workers.on('error', () => undefined);
    commands.on('close', () => {
      if (this.#away || this.#closing) return;
      this.#away = true;
      listeners.away('Redis does not answer; work that is due waits for it');
    });
    commands.on('ready', () => {
      if (!this.#away) return;
      this.#away = false;
      listeners.warn('Redis answers again');
      listeners.back();
    });
  }

  /** @throws Error with a message that names REDIS_URL if Redis does not answer or refuses the login */
  static async open(url: string, listeners: RedisListeners): Promise<RedisConnections> {
    const commands = await reach(url);
    const policy = /^maxmemory_policy:(\S+)/m.exec(await commands.info('memory'))?.[1];
    if (policy !== undefined && policy !== 'noeviction') {
      listeners.warn(`Redis may drop jobs when its memory is full: set maxmemory-policy to noeviction, not ${policy}`);
    }
    const workers = new Redis(url, { maxRetriesPerRequest: null, connectTimeout: PATIENCE, retryStrategy: again });
    return new RedisConnections(commands, workers, listeners);
  }

  get up(): boolean {
    return this.commands.status === 'ready';
  }

  close(): void {
    this.#closing = true;
    this.commands.disconnect();
    this.workers.disconnect();
  }
}

/**
 * Connects once; after that, it tries to reconnect for ever.
 * @param waits.within how long each answer may take, in milliseconds
 * @param waits.farewell how long an ended connection waits for the server to end it too, in milliseconds; by default that of the
 * client
 * @throws Error with a message that names REDIS_URL, without its password
 */
export async function reach(
  url: string,
  { within = PATIENCE, farewell }: { readonly within?: number; readonly farewell?: number } = {},
): Promise<Redis> {
  const shown = withoutPassword(url);
  let reached = false;
  let refusal: Error | undefined;
  const options: RedisOptions = {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: within,
    commandTimeout: within,
    ...(farewell !== undefined && { disconnectTimeout: farewell }),
    retryStrategy: (times) => (reached ? again(times) : null),
  };
  const redis = new Redis(url, options);
  const note = (error: Error): void => void (refusal ??= error);
  redis.on('error', note);
  try {
    await redis.connect();
    await redis.ping();
    reached = true;
    return redis;
  } catch (error) {
    redis.disconnect();
    throw new Error(`Redis does not answer at ${shown} (REDIS_URL): ${(refusal ?? (error as Error)).message}`, {
      cause: error,
    });
  } finally {
    redis.off('error', note);
  }
}

function again(times: number): number {
  return Math.min(100 * times, RETRY);
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) throw new Error('REDIS_URL is not a URL such as redis://127.0.0.1:6379');
  const address = new URL(url);
  address.username = '';
  address.password = '';
  return address.href;
}
