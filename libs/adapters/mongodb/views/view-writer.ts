import type { Collection, Document, IndexSpecification, UpdateFilter } from 'mongodb';
import { fieldsOf, type Position, type View } from '#kernel';
import type { Checkpoint, RowChange, StoredRow, Time, ViewWriter } from '#eventsourcing';
import { awaitServer, awaitSlow } from '../await-server.js';
import { isUnknownIndex } from '../errors.js';
import { writeGuarded } from './guarded-writes.js';
import { documentOf, isPresent, pathOf as fieldPath, type RowDocument, storedRow } from './row-document.js';
import { checkpointOf, type GenerationRecord, pathOf, type GenerationsDocument } from './generations-document.js';
import { Tombstones } from './tombstones.js';

/** What a writer needs. */
export interface OpenGeneration {
  readonly standings: Collection<GenerationsDocument>;
  readonly rows: Collection<RowDocument>;
  readonly view: View;
  readonly name: string;
  readonly number: number;
  readonly record: GenerationRecord;
  readonly time: Time;
}

/**
 * Writes one generation, in the bulk phase and after it in the same way: each row only over an older one, then the
 * checkpoint. So a generation that broke off continues at its checkpoint, and a late write of an earlier writer changes
 * nothing.
 */
export class MongoDbViewWriter implements ViewWriter {
  private readonly many: Set<string>;
  private readonly tombstones: Tombstones;
  /** The positions of the rows and tombstones that the last load found. */
  private known: { readonly keys: ReadonlySet<string>; readonly positions: ReadonlyMap<string, Position> } | undefined;
  private closed = false;

  constructor(private readonly generation: OpenGeneration) {
    this.many = new Set(generation.record.many);
    this.tombstones = new Tombstones(generation.rows, () => generation.time.monotonic());
  }

  /** Finds the tombstones that an earlier writer left. */
  async begin(): Promise<void> {
    if (this.generation.record.position === null) return;
    this.tombstones.add(await awaitSlow(() => this.tombstones.existing()));
  }

  async checkpoint(): Promise<Checkpoint | undefined> {
    const { standings, name, number } = this.generation;
    const standing = await awaitServer(standings.findOne(this.mine()));
    const record = standing?.generations?.[`g${number}`];
    if (record === undefined) throw replaced(name, number);
    return checkpointOf(record);
  }

  async load(keys: readonly string[]): Promise<ReadonlyMap<string, StoredRow>> {
    if (keys.length === 0) return new Map();
    const filter = { _id: { $in: [...keys] } };
    const found = await awaitServer(this.generation.rows.find(filter, { projection: { f: 0 } }).toArray());
    this.known = { keys: new Set(keys), positions: new Map(found.map(({ _id, position }) => [_id, position])) };
    return new Map(found.filter(isPresent).map((document) => [document._id, storedRow(document)]));
  }

  async write(changes: readonly RowChange[], checkpoint: Checkpoint): Promise<void> {
    if (checkpoint.log !== this.generation.record.log) throw new Error('the checkpoint names another log');
    const documents = changes.map((change) => documentOf(this.generation.view, change));
    await this.announce(documents);
    const { known } = this;
    this.known = undefined;
    const isKnown = documents.every(({ _id }) => known?.keys.has(_id) === true);
    await writeGuarded(this.generation.rows, documents, isKnown ? known?.positions : undefined);
    await this.advance(checkpoint);
    this.tombstones.add(documents);
    await awaitServer(this.tombstones.clear());
  }

  async finish(): Promise<void> {
    const { view } = this.generation;
    await this.stay();
    for (const fields of view.indexes) {
      await this.index([...fields.map((field): [string, 1] => [fieldPath(field), 1]), ['_id', 1]]);
    }
    for (const order of view.orders) {
      const by = fieldsOf(order).map(({ field, descending }): [string, 1 | -1] => [
        fieldPath(field),
        descending ? -1 : 1,
      ]);
      const covered = [...order.covers.map(fieldPath), ...(order.coversPosition === true ? ['position'] : [])];
      await this.index([...by, ['_id', 1], ...covered.map((path): [string, 1] => [path, 1])]);
    }
    for (const [name, { kind }] of Object.entries(view.fields)) {
      if (kind === 'places') await this.index([[fieldPath(name), '2dsphere']]);
    }
    await this.change({ $set: { [this.path('finished')]: true } });
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  /**
   * Stores which fields return lists before the first list is written, and checks that this is still the writer: writing
   * rows of a dropped generation would create its collection again.
   */
  private async announce(documents: readonly RowDocument[]): Promise<void> {
    const { fields } = this.generation.view;
    const lists = new Set<string>();
    for (const { f } of documents) {
      for (const [name, value] of Object.entries(f ?? {})) {
        if (Array.isArray(value) && fields[name]?.kind === 'value' && !this.many.has(name)) lists.add(name);
      }
    }
    if (lists.size === 0) await this.stay();
    else await this.change({ $addToSet: { [this.path('many')]: { $each: [...lists] } } });
    for (const name of lists) this.many.add(name);
  }

  /** A checkpoint before the stored one is skipped: it says nothing new. */
  private async advance({ position, event }: Checkpoint): Promise<void> {
    const path = this.path('position');
    const behind = { ...this.mine(), $or: [{ [path]: null }, { [path]: { $lte: position } }] };
    const update = { $set: { [path]: position, [this.path('event')]: event } };
    const { matchedCount } = await awaitServer(this.generation.standings.updateOne(behind, update));
    if (matchedCount === 0) await this.stay();
  }

  private async index(keys: [string, 1 | -1 | '2dsphere'][]): Promise<void> {
    try {
      await awaitSlow(() => this.generation.rows.createIndex(keys as IndexSpecification));
    } catch (error) {
      // A server without geospatial indexes answers all other queries; it refuses queries about places itself.
      if (!keys.some(([, kind]) => kind === '2dsphere') || !isUnknownIndex(error)) throw error;
    }
  }

  private path(field: keyof GenerationRecord): string {
    return pathOf(this.generation.number, field);
  }

  private mine(): Document {
    if (this.closed) throw new Error('the writer is closed');
    return { _id: this.generation.name, [this.path('writer')]: this.generation.record.writer };
  }

  /** Fails if another writer has replaced this one. */
  private async stay(): Promise<void> {
    const { standings, name, number } = this.generation;
    const found = await awaitServer(standings.findOne(this.mine(), { projection: { _id: 1 } }));
    if (found === null) throw replaced(name, number);
  }

  private async change(update: UpdateFilter<GenerationsDocument>): Promise<void> {
    const { standings, name, number } = this.generation;
    const { matchedCount } = await awaitServer(standings.updateOne(this.mine(), update));
    if (matchedCount === 0) throw replaced(name, number);
  }
}

function replaced(name: string, number: number): Error {
  return new Error(`generation ${number} of ${name} was dropped, or is written by somebody else now`);
}
