import { MongoNetworkError } from 'mongodb';
import { awaitServer, type MongoDb } from '#adapters/mongodb';
import type { Seeded } from '../../core/seeded.js';
import type { Life } from '../../world/life.js';
import { Connection } from '../network.js';
import { type Document, type Filter, matches, type Update, updated } from './documents.js';
import type { MongoServer } from './mongo-server.js';

/** How long the driver looks for a primary, and between two looks, in milliseconds. */
const SELECTION_TIMEOUT = 5_000;
const LOOK_EVERY = 500;
const DUPLICATE_KEY = 11_000;

const ERRORS = {
  refused: () => new MongoNetworkError('connect ECONNREFUSED'),
  broken: () => new MongoNetworkError('connection closed'),
};

interface FindOptions {
  readonly sort?: Readonly<Record<string, 1 | -1>>;
}

interface UpdateOptions {
  readonly upsert?: boolean;
  readonly returnDocument?: 'before' | 'after';
}

/** One process's client of the simulated MongoDB: its calls fail as the driver's do. */
export class MongoClientLine {
  readonly #connection: Connection;
  readonly #random: Seeded;

  constructor(
    readonly server: MongoServer,
    private readonly life: Life,
  ) {
    const { world } = server;
    this.#connection = new Connection(life, server, ERRORS);
    this.#random = world.random.of(`mongodb of ${life.name} ${world.scheduler.steps}`);
  }

  /** Reads at the primary. */
  async read<T>(read: () => T): Promise<T> {
    if (!this.server.hasPrimary) await this.#primary();
    return this.#connection.look(read);
  }

  /**
   * Writes at the primary.
   * @param write changes the data at once; returns the answer, and how to take the change back, if there was one
   */
  async write<T>(write: () => { readonly answer: T; readonly undo: (() => void) | undefined }): Promise<T> {
    if (!this.server.hasPrimary) await this.#primary();
    return this.#connection.ask<T>((reply) => {
      if (!this.server.hasPrimary) return;
      try {
        const { answer, undo } = write();
        if (undo === undefined) {
          reply.value(answer);
          return;
        }
        const promised = this.server.unpromised(undo);
        this.server.world.scheduler.after(this.#random.between(0.2, 2), () => {
          if (promised()) reply.value(answer);
        });
      } catch (error) {
        reply.error(error as Error);
      }
    });
  }

  /** The answer, as the real adapter waits for it. @throws Unavailable */
  answer<T>(call: Promise<T>, patience?: number): Promise<T> {
    return awaitServer(call, patience, this.life.machine);
  }

  async #primary(): Promise<void> {
    const { time } = this.life.machine;
    for (const until = time.monotonic() + SELECTION_TIMEOUT; !this.server.hasPrimary;) {
      if (time.monotonic() > until) throw new MongoNetworkError('there is no primary');
      await time.pause(LOOK_EVERY);
    }
  }
}

/** A collection with the calls that the product makes. */
class SimulatedCollection {
  constructor(
    private readonly line: MongoClientLine,
    private readonly name: string,
  ) {}

  findOne(filter: Filter, { sort }: FindOptions = {}): Promise<Document | null> {
    return this.line.read(() => this.#find(filter, sort) ?? null);
  }

  /** The ids of documents, in their order. */
  find(filter: Filter): { sort(): { limit(most: number): { toArray(): Promise<readonly Document[]> } } } {
    const found = (most: number): readonly Document[] =>
      [...this.#all.values()]
        .filter((each) => matches(each, filter))
        .sort((a, b) => (a._id < b._id ? -1 : 1))
        .slice(0, most);
    return { sort: () => ({ limit: (most) => ({ toArray: () => this.line.read(() => found(most)) }) }) };
  }

  insertOne(document: Document): Promise<object> {
    return this.#change(() => {
      if (this.#all.has(document._id)) throw duplicate();
      return { answer: {}, changes: [[document._id, { ...document }]] };
    });
  }

  updateOne(filter: Filter, update: Update, { upsert = false }: UpdateOptions = {}): Promise<{ matchedCount: number }> {
    return this.#change(() => {
      const there = this.#find(filter);
      const answer = { matchedCount: there === undefined ? 0 : 1 };
      if (there === undefined && !upsert) return { answer, changes: [] };
      return { answer, changes: [this.#put(updated(there, filter, update), there)] };
    });
  }

  updateMany(filter: Filter, update: Update): Promise<{ modifiedCount: number }> {
    return this.#change(() => {
      const found = [...this.#all.values()].filter((each) => matches(each, filter));
      const changes = found.map((each) => [each._id, updated(each, filter, update)] as const);
      return { answer: { modifiedCount: found.length }, changes };
    });
  }

  replaceOne(
    filter: Filter,
    document: object,
    { upsert = false }: UpdateOptions = {},
  ): Promise<{ matchedCount: number }> {
    return this.#change(() => {
      const there = this.#find(filter);
      const answer = { matchedCount: there === undefined ? 0 : 1 };
      if (there === undefined && !upsert) return { answer, changes: [] };
      const _id = there?._id ?? String(filter['_id']);
      return { answer, changes: [this.#put({ ...document, _id }, there)] };
    });
  }

  findOneAndUpdate(
    filter: Filter,
    update: Update,
    { upsert = false, returnDocument = 'before' }: UpdateOptions = {},
  ): Promise<Document | null> {
    return this.#change(() => {
      const there = this.#find(filter);
      if (there === undefined && !upsert) return { answer: null, changes: [] };
      const made = updated(there, filter, update);
      return { answer: returnDocument === 'after' ? made : (there ?? null), changes: [this.#put(made, there)] };
    });
  }

  deleteOne(filter: Filter): Promise<object> {
    return this.#change(() => {
      const there = this.#find(filter);
      return { answer: {}, changes: there === undefined ? [] : [[there._id, undefined]] };
    });
  }

  deleteMany(filter: Filter): Promise<object> {
    return this.#change(() => {
      const found = [...this.#all.values()].filter((each) => matches(each, filter));
      return { answer: {}, changes: found.map(({ _id }) => [_id, undefined]) };
    });
  }

  async createIndex(): Promise<void> {
    await Promise.resolve();
  }

  get #all(): Map<string, Document> {
    return this.line.server.collection(this.name);
  }

  #find(filter: Filter, sort: FindOptions['sort'] = {}): Document | undefined {
    const { _id } = filter;
    const some = typeof _id === 'string' ? [this.#all.get(_id)] : [...this.#all.values()];
    const found = some.filter((each) => each !== undefined && matches(each, filter)) as Document[];
    const [field] = Object.keys(sort);
    return field === undefined ? found[0] : found.sort((a, b) => Number(a[field]) - Number(b[field]))[0];
  }

  #put(document: Document, there: Document | undefined): readonly [string, Document] {
    if (there === undefined && this.#all.has(document._id)) throw duplicate();
    return [document._id, document];
  }

  #change<T>(
    change: () => { readonly answer: T; readonly changes: readonly (readonly [string, Document | undefined])[] },
  ): Promise<T> {
    return this.line.write(() => {
      const { answer, changes } = change();
      if (changes.length === 0) return { answer, undo: undefined };
      const before = changes.map(([id]) => [id, this.#all.get(id)] as const);
      this.#set(changes);
      return { answer, undo: () => this.#set(before) };
    });
  }

  #set(changes: readonly (readonly [string, Document | undefined])[]): void {
    for (const [id, document] of changes) {
      if (document === undefined) this.#all.delete(id);
      else this.#all.set(id, document);
    }
  }
}

function duplicate(): Error {
  return Object.assign(new Error('E11000 duplicate key error'), { code: DUPLICATE_KEY });
}

/** The database as the product's own adapters use it. */
export function simulatedMongoDb(line: MongoClientLine, life: Life): MongoDb {
  const database: Pick<MongoDb, 'machine' | 'answer'> & { collection(name: string): SimulatedCollection } = {
    machine: life.machine,
    answer: (call, patience) => line.answer(call, patience),
    collection: (name) => new SimulatedCollection(line, name),
  };
  return database as unknown as MongoDb;
}
