import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type Db, type Document, MongoClient, type ObjectId } from 'mongodb';
import { MongoMemoryServer } from 'mongodb-memory-server-core';
import { tempFolder } from '../temp-folder.js';
import { mongod } from './binary.js';
import { builtFerretDb } from './ferretdb.js';

/** A server for the tests, unless MONGODB_URL names another one: then every test must use only its own database. */
export interface MongoDbServer {
  /** Without a database: `databaseUrl` adds one. */
  readonly url: string;
  readonly name: string;
  /** Of the process, if it was started here. */
  readonly pid?: number | undefined;
  /** The operations that it lacks, of those that the adapter uses: `near`. */
  readonly lacks: readonly string[];
  stop(): Promise<void>;
}

type Started = Omit<MongoDbServer, 'lacks'>;

/**
 * Starts the first available server: MONGODB_URL; a mongod that is installed or can be downloaded; FerretDB, if Go can build it.
 * Undefined, with words on stderr, when there is none. It ends with this process.
 */
export async function startMongoDb(): Promise<MongoDbServer | undefined> {
  const started = givenServer() ?? (await startMongod()) ?? (await startFerretDb());
  if (started === undefined) {
    process.stderr.write(
      'No MongoDB is available here: the tests that need one DID NOT RUN. MONGODB_URL can name one.\n',
    );
    return undefined;
  }
  const lacks = await lackingOf(started.url);
  if (lacks.length > 0) {
    process.stderr.write(
      `${started.name} stands in for MongoDB and lacks ${lacks.join(', ')}: the tests of that DID NOT RUN.\n`,
    );
  }
  return { ...started, lacks };
}

/** Downloads or builds what `startMongoDb` starts, if that is missing. */
export async function prepareMongoDb(): Promise<void> {
  if (givenServer() === undefined && (await mongod()) === undefined) await builtFerretDb();
}

function givenServer(): Started | undefined {
  const url = process.env['MONGODB_URL'];
  return url === undefined ? undefined : { url, name: 'the MongoDB of MONGODB_URL', stop: async () => undefined };
}

/** The content of a database, by collection. */
export function documentsOf(url: string): Promise<Readonly<Record<string, readonly Document[]>>> {
  return withDatabase(url, async (database) => {
    const names = (await database.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
    const found = names.map(async (name) => [name, await database.collection(name).find().toArray()] as const);
    return Object.fromEntries(await Promise.all(found));
  });
}

/** Makes a database hold exactly these documents; nobody sees it empty meanwhile, unless it ends empty. */
export function fillDatabase(url: string, documents: Readonly<Record<string, readonly Document[]>>): Promise<void> {
  return withDatabase(url, async (database) => {
    if (Object.keys(documents).length === 0) await database.dropDatabase();
    for (const [name, all] of Object.entries(documents)) {
      const puts = all.map((each) => ({
        replaceOne: { filter: { _id: each['_id'] as ObjectId }, replacement: each, upsert: true },
      }));
      if (puts.length > 0) await database.collection(name).bulkWrite(puts);
      await database.collection(name).deleteMany({ _id: { $nin: all.map((each) => each['_id'] as ObjectId) } });
    }
    for (const { name } of await database.listCollections({}, { nameOnly: true }).toArray()) {
      if (!(name in documents)) await database.dropCollection(name);
    }
  });
}

async function withDatabase<T>(url: string, use: (database: Db) => Promise<T>): Promise<T> {
  const client = new MongoClient(url, { useBigInt64: true });
  try {
    return await use(client.db());
  } finally {
    await client.close();
  }
}

async function startMongod(): Promise<Started | undefined> {
  const path = await mongod();
  if (path === undefined) return undefined;
  const systemBinary = path === 'mongod' ? spawnSync('which', [path], { encoding: 'utf8' }).stdout.trim() : path;
  const server = await MongoMemoryServer.create({ binary: { systemBinary, checkMD5: false } });
  return {
    url: server.getUri(),
    name: 'mongod',
    pid: server.instanceInfo?.instance.mongodProcess?.pid,
    stop: async () => {
      await server.stop();
    },
  };
}

async function startFerretDb(): Promise<Started | undefined> {
  const binary = await builtFerretDb();
  if (binary === undefined) return undefined;
  const folder = tempFolder();
  const running = spawn(binary, [folder.path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const address = await firstLine(running);
  return {
    url: `mongodb://${address}/`,
    name: 'FerretDB',
    pid: running.pid,
    stop: async () => {
      const ended = once(running, 'exit');
      running.stdin.end();
      await ended;
      folder.remove();
    },
  };
}

async function firstLine(running: ChildProcess): Promise<string> {
  if (running.stdout === null) throw new Error('no output');
  const lines = createInterface({ input: running.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
  if (line === undefined) throw new Error('FerretDB ended before it said where it listens');
  return line;
}

async function lackingOf(url: string): Promise<readonly string[]> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 10_000 });
  const database = client.db(`probe-${randomUUID()}`);
  try {
    const probe = database.collection('probe');
    await probe.insertOne({ place: { type: 'Point', coordinates: [0, 0] } });
    const circle = { $geoWithin: { $centerSphere: [[0, 0], 0.1] } };
    return await probe
      .find({ place: circle })
      .toArray()
      .then(
        () => [],
        () => ['near'],
      );
  } finally {
    await database.dropDatabase();
    await client.close();
  }
}
