import { type ChangedRows, ROW_KINDS, type RowKind, type StateLine } from '#backup';
import { awaitSlow } from '../await-server.js';
import { MongoDbCopiedRows } from './mongodb-copied-rows.js';
import { ROWS_OF } from './state-documents.js';

/** Documents of a part. */
const PART = 1_000;
/** Any mark. */
const MARKED = { changed: { $gt: '' } } as const;
const WITHOUT = { $unset: { changed: '' } } as const;

/**
 * The rows in MongoDB for a backup that follows: it reads the documents whose `changed` is set, by an index, and takes the marks
 * away. So the work is that of the changes, whatever the history. One process at a time may do this: marks that one has taken
 * away, another one does not see.
 */
export class MongoDbFollowedRows extends MongoDbCopiedRows {
  /** Without a mark: takes away those of before, because every row is read from now on. */
  override async changes(since: string | undefined): Promise<ChangedRows> {
    if (since === undefined) {
      for (const kind of ROW_KINDS) await this.#forget(kind);
      return { lines: [], mark: 'begun', more: false };
    }
    const lines: StateLine[] = [];
    let more = false;
    for (const kind of ROW_KINDS) {
      const part = await this.#take(kind);
      lines.push(...part);
      more ||= part.length === PART;
    }
    return { lines, mark: since, more };
  }

  async #forget(kind: RowKind): Promise<void> {
    const rows = this.collectionOf(ROWS_OF[kind].name);
    await awaitSlow(() => rows.createIndex({ changed: 1 }, { sparse: true }, {}), this.mongo.machine);
    for (;;) {
      const page = rows.find(MARKED, { projection: { _id: 1 } }).limit(PART);
      const ids = (await this.mongo.answer(page.toArray())).map(({ _id }) => _id);
      if (ids.length > 0) await this.mongo.answer(rows.updateMany({ _id: { $in: ids } }, WITHOUT));
      if (ids.length < PART) return;
    }
  }

  /** Reads a part of the marked rows, and takes exactly these marks away: a row that changes meanwhile has another one. */
  async #take(kind: RowKind): Promise<readonly StateLine[]> {
    const { name, line } = ROWS_OF[kind];
    const rows = this.collectionOf(name);
    const found = await this.mongo.answer(rows.find(MARKED).limit(PART).toArray());
    const writes = found.map(({ _id, changed = '' }) => ({ updateOne: { filter: { _id, changed }, update: WITHOUT } }));
    if (writes.length > 0) await this.mongo.answer(rows.bulkWrite(writes, { ordered: false }));
    return found.map(line);
  }
}
