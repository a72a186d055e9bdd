import type { SharedEngines } from './cluster.js';
import { RunningDouble } from './running-double.js';
import { startMongoDb } from './mongodb/mongodb-server.js';
import { REDIS, REDIS_SHOWN, TestRedis } from './redis.js';

/** Programs of the tests that stand in for servers, and for which. */
const STAND_INS: Readonly<Record<string, string>> = {
  "EventStoreDB's double": 'EventStoreDB',
  FerretDB: 'MongoDB',
};

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
    /** The ids of those processes that were started here, by name. */
    readonly pids: Readonly<Record<string, number>>,
    readonly stop: () => Promise<void>,
  ) {}

  /** The same, with words about those that stand in for others. */
  get shown(): string {
    const names = this.what.split(', ').map((name) => {
      const stoodFor = STAND_INS[name];
      return stoodFor === undefined ? name : `${name} (a stand-in for ${stoodFor})`;
    });
    return names.join(', ');
  }

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
      `${log.name}, ${mongo.name}, ${REDIS_SHOWN}`,
      mongo.lacks,
      Object.fromEntries(
        [
          [log.name, log.pid],
          [mongo.name, mongo.pid],
          [REDIS_SHOWN, redis.pid],
        ].filter((each): each is [string, number] => each[1] !== undefined),
      ),
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
  /** For whoever reads the results. */
  readonly name: string;
  /** Of the process, if it was started here. */
  readonly pid?: number | undefined;
  readonly stop: () => Promise<void>;
}

/**
 * The EventStoreDB that the environment names, or the double.
 * @param mishaps options of the double, such as `--loseEvery=3`; a given server ignores them
 */
export async function startLogServer(...mishaps: readonly string[]): Promise<LogServer> {
  const url = process.env['EVENTSTORE_URL'];
  if (url !== undefined) return { url, name: 'the EventStoreDB of EVENTSTORE_URL', stop: () => Promise.resolve() };
  const double = await RunningDouble.start('--port=0', ...mishaps);
  return { url: double.url, name: "EventStoreDB's double", pid: double.child.pid, stop: () => double.kill() };
}
