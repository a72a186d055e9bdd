import { assertMayBeMade, KEYS_ENTRY, LiveKeys, type MasterKey } from '#eventsourcing';
import type { MongoDb } from '../mongo-db.js';
import { assertKnownFormat, nameFormat } from './mongodb-format.js';
import { MongoDbKeyValueStore } from './mongodb-key-value-store.js';

/**
 * The keys of the installation whose key store is this database.
 * @param written what was written under keys, as text; if set, no keys are made
 * @throws KeysLost, WrongMasterKey, or OtherFormat for a database that another build wrote; nothing is written then
 */
export async function openMongoDbKeys(mongo: MongoDb, master: MasterKey, written?: string): Promise<LiveKeys> {
  const keyValues = new MongoDbKeyValueStore(mongo);
  const isNew = (await keyValues.get(KEYS_ENTRY)) === undefined;
  await assertKnownFormat(keyValues, isNew);
  const holdsSecrets = (await holds(mongo, 'person_keys')) || (await holds(mongo, 'vault'));
  const past = { place: 'the database of MONGODB_URL', written: holdsSecrets ? 'it holds sealed secrets' : written };
  if (isNew) {
    assertMayBeMade(past);
    await nameFormat(keyValues);
  }
  return LiveKeys.open(keyValues, master, past, mongo.machine);
}

async function holds(mongo: MongoDb, collection: string): Promise<boolean> {
  return (await mongo.answer(mongo.collection(collection).findOne({}))) !== null;
}
