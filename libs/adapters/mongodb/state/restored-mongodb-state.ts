import type { StateLine } from '#backup';
import type { MongoDb } from '../mongo-db.js';
import { nameFormat } from './mongodb-format.js';
import { MongoDbKeyValueStore } from './mongodb-key-value-store.js';
import { documentOf, ROWS_OF, type Stored } from './state-documents.js';

/** Documents that are written together. */
const PART = 1_000;

/** A database that gets the rows of a backup. A later row replaces an earlier one of its name. */
export class RestoredMongoDbState {
  constructor(private readonly mongo: MongoDb) {}

  /** Whether the database holds nothing of an installation. */
  async isEmpty(): Promise<boolean> {
    for (const name of ['facts', ...Object.values(ROWS_OF).map((each) => each.name)])
      if ((await this.mongo.answer(this.mongo.collection(name).findOne({}))) !== null) return false;
    return true;
  }

  async add(lines: readonly StateLine[]): Promise<void> {
    const documents = new Map<string, Stored[]>();
    for (const line of lines) {
      const [name, document] = documentOf(line);
      documents.set(name, [...(documents.get(name) ?? []).filter(({ _id }) => _id !== document._id), document]);
    }
    for (const [name, all] of documents) {
      const writes = all.map((document) => ({
        replaceOne: { filter: { _id: document._id }, replacement: document, upsert: true },
      }));
      for (let at = 0; at < writes.length; at += PART) {
        const part = writes.slice(at, at + PART);
        await this.mongo.collection<Stored>(name).bulkWrite(part, { ordered: false });
      }
    }
  }

  /** Names the format: from now on a process may use the database. */
  async finish(): Promise<void> {
    await nameFormat(new MongoDbKeyValueStore(this.mongo));
  }
}
