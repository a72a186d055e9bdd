import { type Collection, type Db, type Document, MongoClient, MongoError } from 'mongodb';
import { thisMachine } from '#adapters/machine';
import type { Machine } from '#eventsourcing';

const DEFAULT_DATABASE = 'holdfast';
/** How long a server is looked for before a call fails, in milliseconds. */
const SELECTION_TIMEOUT = 5_000;
/** How often the driver asks whether the server is there; a silent one costs those who wait for it at most this and the time above. */
const HEARTBEAT = 2_000;

/** The server cannot be used: the message names MONGODB_URL and says why, without the URL's credentials. */
export class MongoDbUnusable extends Error {
  override name = 'MongoDbUnusable';
}

/**
 * One client for the process. Everything is written to a majority of the servers and their journals before it counts: a
 * failover then loses nothing that was acknowledged, be it a key or a row behind a checkpoint.
 */
export class MongoDb {
  private constructor(
    private readonly client: MongoClient,
    private readonly database: Db,
    /** What whoever uses it has time and randomness from. */
    readonly machine: Machine,
  ) {}

  /**
   * Connects to the database that the URL names, or else to `holdfast`.
   * @throws MongoDbUnusable when the URL is none, or no server answers at it within 5 s
   */
  static async connect(url: string, machine = thisMachine): Promise<MongoDb> {
    const client = clientOf(url);
    try {
      await client.connect();
      const database = client.db(named(url) ?? DEFAULT_DATABASE);
      await database.command({ ping: 1 });
      return new MongoDb(client, database, machine);
    } catch (error) {
      await client.close();
      const hosts = client.options.srvHost ?? client.options.hosts.map(String).join(', ');
      throw new MongoDbUnusable(`MONGODB_URL: no MongoDB can be used at ${hosts} (${(error as Error).message})`);
    }
  }

  collection<Schema extends Document>(name: string): Collection<Schema> {
    return this.database.collection<Schema>(name);
  }

  /** The names of the collections that begin with `prefix`. */
  async collections(prefix: string): Promise<readonly string[]> {
    const all = await this.database.listCollections({}, { nameOnly: true }).toArray();
    return all.map(({ name }) => name).filter((name) => name.startsWith(prefix));
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

function clientOf(url: string): MongoClient {
  try {
    return new MongoClient(url, {
      appName: 'holdfast',
      // Positions need 64 bits.
      useBigInt64: true,
      // Keys, leases and positions must be seen as they are, not as they were.
      readPreference: 'primary',
      writeConcern: { w: 'majority', journal: true },
      serverSelectionTimeoutMS: SELECTION_TIMEOUT,
      connectTimeoutMS: SELECTION_TIMEOUT,
      heartbeatFrequencyMS: HEARTBEAT,
    });
  } catch (error) {
    // What the driver says of a URL may repeat it, password and all.
    const reason = error instanceof MongoError && error.message.includes('scheme') ? ': it begins with mongodb://' : '';
    throw new MongoDbUnusable(`MONGODB_URL is no URL of a MongoDB${reason}`);
  }
}

/** The database in the path; a list of hosts makes it a URL that URL itself does not read. */
function named(url: string): string | undefined {
  const name = /^mongodb(?:\+srv)?:\/\/[^/]*\/([^?]+)/.exec(url)?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
}
