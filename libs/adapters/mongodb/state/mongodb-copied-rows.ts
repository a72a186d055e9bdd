import type { Collection, Filter } from 'mongodb';
import type { ChangedRows, RowKind, RowPart, StateLine, StateRows } from '#backup';
import { AFTER_PASSING, PASSING } from '#eventsourcing';
import type { MongoDb } from '../mongo-db.js';
import { FORMAT_ENTRY } from './mongodb-format.js';
import { ROWS_OF, type Stored } from './state-documents.js';

/** Documents of a part. */
const PART = 1_000;

const NOT_PASSING = { $or: [{ _id: { $lt: PASSING } }, { _id: { $gte: AFTER_PASSING } }] };

/** What is kept beside the log in MongoDB, read part by part while others write. */
export class MongoDbCopiedRows implements StateRows {
  constructor(protected readonly mongo: MongoDb) {}

  async entries(): Promise<readonly StateLine[]> {
    const all = await this.mongo.answer(this.collectionOf('facts').find(NOT_PASSING).toArray());
    return all
      .filter(({ _id }) => _id !== FORMAT_ENTRY)
      .map(({ _id, text }) => ({ kind: 'entry', name: _id, text: text ?? '' }));
  }

  async rows(kind: RowKind, after: string | undefined): Promise<RowPart> {
    const { name, line } = ROWS_OF[kind];
    const where: Filter<Stored> = after === undefined ? {} : { _id: { $gt: after } };
    const found = await this.mongo.answer(this.collectionOf(name).find(where).sort({ _id: 1 }).limit(PART).toArray());
    return { lines: found.map(line), next: found.length < PART ? undefined : found.at(-1)?._id };
  }

  /** Nothing tells what has changed: a copy has each row as it was when its part was read. */
  changes(_since: string | undefined): Promise<ChangedRows> {
    return Promise.resolve({ lines: [], mark: '', more: false });
  }

  protected collectionOf(name: string): Collection<Stored> {
    return this.mongo.collection(name);
  }
}
