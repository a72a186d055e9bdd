import { type AnyBulkWriteOperation, type Collection, MongoBulkWriteError } from 'mongodb';
import type { Position } from '#kernel';
import { awaitServer } from '../await-server.js';
import { isDuplicate } from '../errors.js';
import type { RowDocument } from './row-document.js';

/** So many documents are written at once. */
const AT_ONCE = 1_000;
/**
 * And so long, in milliseconds, their answer is waited for: a line that fell silent must not keep the views waiting for as long
 * as the system lets it stand.
 */
const ANSWER_WITHIN = 20_000;

type Write = AnyBulkWriteOperation<RowDocument>;

/**
 * Writes documents, each only over what is older than itself or as old: what two writers of one generation write, in
 * whatever order it arrives, ends with the newest of each row. What is there is asked first, for most rows are new, and
 * inserting is the cheapest of writes.
 * @param within how long each answer is waited for, in milliseconds
 * @throws Unavailable when none comes: what was written then is not known, and may be written again
 */
export async function writeGuarded(
  collection: Collection<RowDocument>,
  documents: readonly RowDocument[],
  within = ANSWER_WITHIN,
): Promise<void> {
  for (let from = 0; from < documents.length; from += AT_ONCE) {
    await writePart(collection, documents.slice(from, from + AT_ONCE), within);
  }
}

async function writePart(
  collection: Collection<RowDocument>,
  documents: readonly RowDocument[],
  within: number,
): Promise<void> {
  let rest = documents;
  while (rest.length > 0) {
    const there = await awaitServer(positions(collection, rest), within);
    rest = rest.filter(({ _id, position }) => (there.get(_id) ?? position) <= position);
    const writes = rest.map((document) => writeOf(document, there.has(document._id)));
    const met = await awaitServer(attempt(collection, writes), within);
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
