import { type AnyBulkWriteOperation, type Collection, MongoBulkWriteError } from 'mongodb';
import type { Position } from '#kernel';
import { awaitServer } from '../await-server.js';
import { isDuplicate } from '../errors.js';
import type { RowDocument } from './row-document.js';

/** Documents per write. */
const AT_ONCE = 1_000;
/**
 * How long to wait for their answer, in milliseconds: a silent connection must not delay the views for as long as the system
 * keeps it.
 */
const ANSWER_WITHIN = 20_000;

type Write = AnyBulkWriteOperation<RowDocument>;
type Positions = ReadonlyMap<string, Position>;

/**
 * Writes documents, each only over an older or equally old one. If two writers of one generation overlap, the newest version
 * of each row stays, in whatever order the writes arrive. It needs to know which of them exist: most rows are new, and an
 * insert is the cheapest write.
 * @param known the positions of those that existed a moment ago; undefined: they are read first
 * @param within how long to wait for each answer, in milliseconds
 * @throws Unavailable without an answer: what was written is unknown, and may be written again
 */
export async function writeGuarded(
  collection: Collection<RowDocument>,
  documents: readonly RowDocument[],
  known?: Positions,
  within = ANSWER_WITHIN,
): Promise<void> {
  for (let from = 0; from < documents.length; from += AT_ONCE) {
    await writePart(collection, documents.slice(from, from + AT_ONCE), known, within);
  }
}

async function writePart(
  collection: Collection<RowDocument>,
  documents: readonly RowDocument[],
  known: Positions | undefined,
  within: number,
): Promise<void> {
  let rest = documents;
  for (let there = known; rest.length > 0; there = undefined) {
    there ??= await awaitServer(positionsOf(collection, rest), within);
    rest = rest.filter(({ _id, position }) => (there.get(_id) ?? position) <= position);
    const writes = rest.map((document) => writeOf(document, there.has(document._id)));
    const met = await awaitServer(attempt(collection, writes), within);
    // The next round sees what another writer put there meanwhile. It writes all documents again, which does no harm.
    if (!met) return;
  }
}

/** An existing row may be a tombstone that another writer is just deleting; then the row is inserted all the same. */
function writeOf(document: RowDocument, there: boolean): Write {
  if (!there) return { insertOne: { document } };
  const { _id, ...replacement } = document;
  return { replaceOne: { filter: { _id, position: { $lte: document.position } }, replacement, upsert: true } };
}

async function positionsOf(collection: Collection<RowDocument>, documents: readonly RowDocument[]): Promise<Positions> {
  const keys = documents.map(({ _id }) => _id);
  const found = await collection.find({ _id: { $in: keys } }, { projection: { position: 1 } }).toArray();
  return new Map(found.map(({ _id, position }) => [_id, position]));
}

/**
 * True if one of the documents met another one that was missing or older a moment ago. Servers differ in whether they then
 * continue with the others. Throws any other failure.
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
