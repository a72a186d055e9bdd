import type { SharedEngines } from './cluster.js';
import { RunningDouble } from './running-double.js';
import { startMongoDb } from './mongodb/mongodb-server.js';
import { REDIS, REDIS_SHOWN, TestRedis } from './redis.js';

/** The servers that several processes share: those that the environment names, else what can be had on this machine. */
export class SharedServers implements SharedEngines {
  private constructor(
    readonly eventStoreUrl: string,
    readonly mongoUrl: string,
    readonly redisUrl: string,
    /** What they are, for whoever reads the results. */
    readonly what: string,
    /** What the MongoDB of these tests cannot do, such as `near`; a stand-in that lacks anything is slow, too. */
    readonly lacks: readonly string[],
    readonly stop: () => Promise<void>,
  ) {}

  /**
   * undefined, and said aloud, where one of them cannot be had.
   * @param mishaps options of the EventStoreDB double, such as `--loseEvery=3`; a given server has mishaps of its own
   */
  static async start(...mishaps: readonly string[]): Promise<SharedServers | undefined> {
    if (REDIS === 'none') return undefined;
    const mongo = await startMongoDb();
    if (mongo === undefined) return undefined;
    const given = process.env['EVENTSTORE_URL'];
    const double = given === undefined ? await RunningDouble.start('--port=0', ...mishaps) : undefined;
    const redis = await TestRedis.start();
    const log = double === undefined ? 'the EventStoreDB of EVENTSTORE_URL' : "EventStoreDB's double";
    return new SharedServers(
      double?.url ?? given ?? '',
      mongo.url,
      redis.url,
      `${log}, ${mongo.name}, ${REDIS_SHOWN}`,
      mongo.lacks,
      async () => {
        await redis.end();
        await double?.kill();
        await mongo.stop();
      },
    );
  }
}
