import { type AnyBulkWriteOperation, type Collection, MongoBulkWriteError } from 'mongodb';
import type { Position } from '#kernel';
import { isDuplicate } from '../errors.js';
import type { RowDocument } from './row-document.js';

type Write = AnyBulkWriteOperation<RowDocument>;

/**
 * Writes documents, each only over what is older than itself or as old: what two writers of one generation write, in
 * whatever order it arrives, ends with the newest of each row. What is there is asked first, for most rows are new, and
 * inserting is the cheapest of writes.
 */
export async function writeGuarded(
  collection: Collection<RowDocument>,
  documents: readonly RowDocument[],
): Promise<void> {
  let rest = documents;
  while (rest.length > 0) {
    const there = await positions(collection, rest);
    rest = rest.filter(({ _id, position }) => (there.get(_id) ?? position) <= position);
    const met = await attempt(
      collection,
      rest.map((document) => writeOf(document, there.has(document._id))),
    );
    // What another writer put there meanwhile is seen by the next round, which writes all again: twice is as good as once.
    if (!met) return;
  }
}

/** A row that was there may be a tombstone that another writer clears away just now: then it is inserted all the same. */
function writeOf(document: RowDocument, there: boolean): Write {
  if (!there) return { insertOne: { document } };
  const { _id, ...replacement } = document;
  return { replaceOne: { filter: { _id, position: { $lte: document.position } }, replacement, upsert: true } };
}

async function positions(
  collection: Collection<RowDocument>,
  documents: readonly RowDocument[],
): Promise<ReadonlyMap<string, Position>> {
  const keys = documents.map(({ _id }) => _id);
  const found = await collection.find({ _id: { $in: keys } }, { projection: { position: 1 } }).toArray();
  return new Map(found.map(({ _id, position }) => [_id, position]));
}

/**
 * True when one of the documents met another one that was not there, or not as new, a moment ago. Servers differ in whether
 * they go on with the others after that. Whatever else fails is thrown.
 */
async function attempt(collection: Collection<RowDocument>, writes: Write[]): Promise<boolean> {
  if (writes.length === 0) return false;
  try {
    await collection.bulkWrite(writes, { ordered: false });
    return false;
  } catch (error) {
    const failures = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
    if (failures.length > 0 && failures.every(isDuplicate)) return true;
    throw error;
  }
}
