import { FORMAT, type KeyValueStore, OtherFormat } from '#eventsourcing';

/** Holds the format of keys, vault, stored answers and entries. Views have their own layouts. */
export const FORMAT_ENTRY = 'format';

/** What is in the way of a database of another build. */
const ANOTHER = 'drop the database, or name another one';

/**
 * Checks that this build wrote the database, or nobody: whoever makes keys names the format first.
 * @param isNew whether it has no keys yet
 * @throws OtherFormat
 */
export async function assertKnownFormat(keyValues: KeyValueStore, isNew: boolean): Promise<void> {
  const found = await keyValues.get(FORMAT_ENTRY);
  if (found === FORMAT || (found === undefined && isNew)) return;
  throw new OtherFormat('the database of MONGODB_URL', found, ANOTHER);
}

/** Stores the format in a new database. @throws OtherFormat if another build is quicker */
export async function nameFormat(keyValues: KeyValueStore): Promise<void> {
  const found = await keyValues.insert(FORMAT_ENTRY, FORMAT);
  if (found !== FORMAT) throw new OtherFormat('the database of MONGODB_URL', found, ANOTHER);
}
