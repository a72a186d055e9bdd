import { type Collection, type Db, type Document, MongoClient, MongoError } from 'mongodb';
import { thisMachine } from '#adapters/machine';
import type { Machine } from '#eventsourcing';
import { readCertificates, readPem, readPrivateKey } from '#files';
import { awaitServer } from './await-server.js';

const DEFAULT_DATABASE = 'holdfast';
/** How long the driver looks for a server before a call fails, in milliseconds. */
const SELECTION_TIMEOUT = 5_000;
/**
 * How often the driver asks whether the server is there. A silent server costs waiting callers at most this and the time
 * above.
 */
const HEARTBEAT = 2_000;

/** The server cannot be used: the message names MONGODB_URL and says why, without the URL's credentials. */
export class MongoDbUnusable extends Error {
  override name = 'MongoDbUnusable';
}

/**
 * One client for the process. Everything counts only when a majority of the servers has it in its journals: a failover then
 * loses nothing acknowledged, neither a key nor a row behind a checkpoint.
 */
export class MongoDb {
  private constructor(
    private readonly client: MongoClient,
    private readonly database: Db,
    /** The source of time and randomness for its users. */
    readonly machine: Machine,
  ) {}

  /**
   * Connects to the database in the URL, or else to `holdfast`.
   * @param within how long it looks for a server, in milliseconds
   * @throws MongoDbUnusable if the URL is invalid, or no server answers in time; Error if a file that the URL names cannot be
   * read
   */
  static async connect(url: string, machine = thisMachine, within = SELECTION_TIMEOUT): Promise<MongoDb> {
    const client = clientOf(url, within);
    checkCertificates(client);
    try {
      await client.connect();
      const database = client.db(named(url) ?? DEFAULT_DATABASE);
      await database.command({ ping: 1 });
      return new MongoDb(client, database, machine);
    } catch (error) {
      await client.close();
      const hosts = client.options.srvHost ?? client.options.hosts.map(String).join(', ');
      throw new MongoDbUnusable(`MONGODB_URL: MongoDB at ${hosts} cannot be used (${(error as Error).message})`);
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

  /** The server's answer to a command of its administration that changes nothing, such as `hello`. */
  command(document: Document): Promise<Document> {
    return this.database.command(document);
  }

  /** The server's answer to a call, as `awaitServer` does, by this machine's time. @throws Unavailable */
  answer<Answer>(call: Promise<Answer>, patience?: number): Promise<Answer> {
    return awaitServer(call, patience, this.machine);
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

function clientOf(url: string, within: number): MongoClient {
  try {
    return new MongoClient(url, {
      appName: 'holdfast',
      // Positions need 64 bits.
      useBigInt64: true,
      // Keys, leases and positions must be current.
      readPreference: 'primary',
      writeConcern: { w: 'majority', journal: true },
      serverSelectionTimeoutMS: within,
      connectTimeoutMS: within,
      heartbeatFrequencyMS: HEARTBEAT,
    });
  } catch (error) {
    // The driver's message may repeat the URL with its password.
    const reason = error instanceof MongoError && error.message.includes('scheme') ? ': it begins with mongodb://' : '';
    throw new MongoDbUnusable(`MONGODB_URL is not a MongoDB URL${reason}`);
  }
}

/**
 * Checks the PEM files that the URL names: the driver reads them only when it connects, and as a whole.
 * @throws Error that names MONGODB_URL, the option and the file
 */
function checkCertificates({ options }: MongoClient): void {
  if (!options.tls) return;
  const setting = (option: string): string => `MONGODB_URL, option ${option}`;
  const { tlsCAFile, tlsCRLFile, tlsCertificateKeyFile: own, passphrase } = options;
  if (tlsCAFile !== undefined) readCertificates(setting('tlsCAFile'), tlsCAFile);
  if (tlsCRLFile !== undefined) readPem(setting('tlsCRLFile'), tlsCRLFile);
  if (own === undefined) return;
  readCertificates(setting('tlsCertificateKeyFile'), own);
  readPrivateKey(setting('tlsCertificateKeyFile'), own, passphrase);
}

/** The database in the path. `URL` cannot parse a URL with a list of hosts. */
function named(url: string): string | undefined {
  const name = /^mongodb(?:\+srv)?:\/\/[^/]*\/([^?]+)/.exec(url)?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
}
