import type { Collection } from 'mongodb';
import type { Position, View } from '#kernel';
import { type GenerationRows, type RowText, ViewNotReady } from '#eventsourcing';
import { awaitServer } from '../await-server.js';
import type { MongoDb } from '../mongo-db.js';
import { generationsCollection, generationsName, keptRecord, rowsOf } from './generations-document.js';
import { layoutOf, PRESENT, type RowDocument } from './row-document.js';

const WITHOUT_FIELDS = { projection: { f: 0 } } as const;

/** Reads the rows of one generation. */
export class MongoDbGenerationRows implements GenerationRows {
  readonly #rows: Collection<RowDocument>;

  constructor(
    private readonly mongo: MongoDb,
    private readonly view: View,
    private readonly generation: number,
  ) {
    this.#rows = rowsOf(mongo, view, generation);
  }

  async after(key: string | undefined, most: number): Promise<readonly RowText[]> {
    const where = key === undefined ? PRESENT : { _id: { $gt: key }, ...PRESENT };
    return texts(await awaitServer(this.#rows.find(where, WITHOUT_FIELDS).sort({ _id: 1 }).limit(most).toArray()));
  }

  async withKeys(keys: readonly string[]): Promise<readonly RowText[]> {
    const found = this.#rows.find({ _id: { $in: [...keys] }, ...PRESENT }, WITHOUT_FIELDS);
    return texts(await awaitServer(found.toArray()));
  }

  /** @throws ViewNotReady if there is no such finished generation of this build */
  async position(): Promise<Position> {
    const { mongo, view, generation } = this;
    const standing = await awaitServer(generationsCollection(mongo).findOne({ _id: generationsName(view) }));
    const record = keptRecord(standing, generation);
    if (record?.finished !== true || record.layout !== layoutOf(view)) throw new ViewNotReady(view.name);
    return record.position ?? 0n;
  }

  size(): Promise<number> {
    return awaitServer(this.#rows.estimatedDocumentCount());
  }

  /** MongoDb owns the connection and closes it. */
  close(): void {
    // Nothing of its own is open.
  }
}

function texts(documents: readonly RowDocument[]): readonly RowText[] {
  return documents.map(({ _id, position, row = '' }) => ({ key: _id, position, text: row }));
}
