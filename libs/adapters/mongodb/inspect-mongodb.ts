import { thisMachine } from '#adapters/machine';
import type { Instant, Position, View } from '#kernel';
import { MongoDb } from './mongo-db.js';
import { MongoDbKeyValueStore } from './state/mongodb-key-value-store.js';
import { generationsCollection, generationsName, keptRecord } from './views/generations-document.js';

/** What a MongoDB says of itself, and what it holds of ours. */
export interface MongoDbInspection {
  readonly version: string;
  /** Whether it takes writes. */
  readonly writable: boolean;
  /** Its clock, when it answered. */
  readonly clock: Instant;
  /** This machine's clock at that moment. */
  readonly at: Instant;
  /** The entries of the installation, of those that were asked for; absent ones are missing. */
  readonly entries: Readonly<Record<string, string>>;
  /** The live generations of views. */
  readonly views: readonly {
    readonly view: string;
    readonly generation: number | null;
    readonly position: Position | null;
  }[];
}

/**
 * Asks a MongoDB about itself, and writes nothing.
 * @param entries the names of the entries to read
 * @param within how long it looks for a server, in milliseconds
 * @throws MongoDbUnusable; Error of the driver, which does not repeat the URL
 */
export async function inspectMongoDb(
  url: string,
  { views, entries: names }: { readonly views: readonly View[]; readonly entries: readonly string[] },
  within: number,
): Promise<MongoDbInspection> {
  const mongo = await MongoDb.connect(url, thisMachine, within);
  try {
    const keyValues = new MongoDbKeyValueStore(mongo);
    const [build, { said: hello, at }, standings, entries] = await Promise.all([
      mongo.command({ buildInfo: 1 }),
      mongo.command({ hello: 1 }).then((said) => ({ said, at: thisMachine.time.wall() })),
      generationsCollection(mongo).find({}).toArray(),
      Promise.all(names.map(async (name) => [name, await keyValues.get(name)] as const)),
    ]);
    const { localTime } = hello;
    return {
      version: String(build['version']),
      writable: hello['isWritablePrimary'] === true,
      clock: localTime instanceof Date ? localTime.getTime() : at,
      at,
      entries: Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined)),
      views: views.map((view) => {
        const standing = standings.find(({ _id }) => _id === generationsName(view));
        const generation = standing?.live ?? null;
        const position = generation === null ? null : (keptRecord(standing ?? null, generation)?.position ?? null);
        return { view: view.name, generation, position };
      }),
    };
  } finally {
    await mongo.close();
  }
}
