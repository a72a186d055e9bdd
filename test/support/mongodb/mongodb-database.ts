import { randomUUID } from 'node:crypto';
import { type Document, MongoClient } from 'mongodb';
import { thisMachine } from '#adapters/machine';
import { MongoDb } from '#adapters/mongodb';
import { databaseUrl } from './database-url.js';
import type { MongoDbServer } from './mongodb-server.js';

/** A database for a test. */
export class MongoDbDatabase {
  readonly url: string;
  private readonly connections: MongoDb[] = [];

  constructor(server: Pick<MongoDbServer, 'url'>) {
    this.url = databaseUrl(server, `test-${randomUUID()}`);
  }

  /** A connection as a process of its own would have it. */
  async connect(machine = thisMachine): Promise<MongoDb> {
    const mongo = await MongoDb.connect(this.url, machine);
    this.connections.push(mongo);
    return mongo;
  }

  /** The stored documents of a collection. */
  async documents(collection: string): Promise<Document[]> {
    return this.with(async (client) => client.db().collection(collection).find().toArray());
  }

  /** Closes the connections and removes the database. */
  async dispose(): Promise<void> {
    for (const mongo of this.connections) await mongo.close();
    await this.with(async (client) => client.db().dropDatabase());
  }

  private async with<Result>(use: (client: MongoClient) => Promise<Result>): Promise<Result> {
    const client = new MongoClient(this.url, { useBigInt64: true });
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }
}
