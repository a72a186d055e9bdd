import type { SharedEngines } from './cluster.js';
import { RunningDouble } from './running-double.js';
import { startMongoDb } from './mongodb/mongodb-server.js';
import { REDIS, REDIS_SHOWN, TestRedis } from './redis.js';

/** The servers that several processes share: those that the environment names, or what is available on this machine. */
export class SharedServers implements SharedEngines {
  private constructor(
    readonly eventStoreUrl: string,
    readonly mongoUrl: string,
    readonly redisUrl: string,
    /** Their names, for whoever reads the results. */
    readonly what: string,
    /** What the MongoDB of these tests cannot do, such as `near`; a stand-in that lacks something is slow, too. */
    readonly lacks: readonly string[],
    readonly stop: () => Promise<void>,
  ) {}

  /**
   * undefined, with words on stderr, when one of them is not available.
   * @param mishaps options of the EventStoreDB double, such as `--loseEvery=3`; a given server ignores them
   */
  static async start(...mishaps: readonly string[]): Promise<SharedServers | undefined> {
    if (REDIS === 'none') return undefined;
    const mongo = await startMongoDb();
    if (mongo === undefined) return undefined;
    const log = await startLogServer(...mishaps);
    const redis = await TestRedis.start();
    return new SharedServers(
      log.url,
      mongo.url,
      redis.url,
      `${log.what}, ${mongo.name}, ${REDIS_SHOWN}`,
      mongo.lacks,
      async () => {
        await redis.end();
        await log.stop();
        await mongo.stop();
      },
    );
  }
}

/** A server for the log. */
export interface LogServer {
  readonly url: string;
  /** Its name, for whoever reads the results. */
  readonly what: string;
  readonly stop: () => Promise<void>;
}

/**
 * The EventStoreDB that the environment names, or the double.
 * @param mishaps options of the double, such as `--loseEvery=3`; a given server ignores them
 */
export async function startLogServer(...mishaps: readonly string[]): Promise<LogServer> {
  const url = process.env['EVENTSTORE_URL'];
  if (url !== undefined) return { url, what: 'the EventStoreDB of EVENTSTORE_URL', stop: () => Promise.resolve() };
  const double = await RunningDouble.start('--port=0', ...mishaps);
  return { url: double.url, what: "EventStoreDB's double", stop: () => double.kill() };
}
