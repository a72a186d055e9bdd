import type { Collection } from 'mongodb';
import { assertMayBeMade, KEYS_ENTRY, type Keyring, type MasterKey, openKeys } from '#eventsourcing';
import { isDuplicate } from '../errors.js';
import type { MongoDb } from '../mongo-db.js';
import { MongoDbKeyValueStore } from './mongodb-key-value-store.js';
import { assertKnownFormat, nameFormat } from './mongodb-format.js';

/** The collection, with one document, in which builds that derived everything from the master key stored its check. */
const EARLIER = 'master_key';
/** A text that keeps such a build from starting: it takes the text for another master key. */
const KEPT_AS_ENTRY = 'the keys are in the collection facts';

interface EarlierDocument {
  readonly _id: string;
  readonly check: string;
}

/**
 * The keys of the installation whose key store is this database. It upgrades a database of an earlier build.
 * @param written what was written under keys, in words; if set, no keys are made
 * @throws KeysLost, WrongMasterKey, or Error for a database that a newer build wrote; nothing is written then
 */
export async function openMongoDbKeys(mongo: MongoDb, master: MasterKey, written?: string): Promise<Keyring> {
  const keyValues = new MongoDbKeyValueStore(mongo);
  await assertKnownFormat(keyValues);
  let check = await checkIn(mongo);
  const holdsSecrets = (await holds(mongo, 'person_keys')) || (await holds(mongo, 'vault'));
  const past = {
    place: 'the database of MONGODB_URL',
    written: holdsSecrets ? 'it holds sealed secrets' : written,
  };
  if (check === undefined && (await keyValues.get(KEYS_ENTRY)) === undefined) {
    assertMayBeMade({ ...past, earlierCheck: undefined });
    check = await keepEarlierOut(mongo);
  }
  const earlierCheck = check === KEPT_AS_ENTRY ? undefined : check;
  const keys = await openKeys(keyValues, master, { ...past, earlierCheck }, mongo.machine.randomness);
  await nameFormat(keyValues);
  return keys;
}

function earlierIn(mongo: MongoDb): Collection<EarlierDocument> {
  return mongo.collection(EARLIER);
}

async function checkIn(mongo: MongoDb): Promise<string | undefined> {
  return (await mongo.answer(earlierIn(mongo).findOne({ _id: EARLIER })))?.check;
}

/**
 * The text that is stored now. If an earlier build came first, it has stored the check of its master key, which then makes
 * the keys.
 */
async function keepEarlierOut(mongo: MongoDb): Promise<string | undefined> {
  try {
    await mongo.answer(earlierIn(mongo).insertOne({ _id: EARLIER, check: KEPT_AS_ENTRY }));
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
  return checkIn(mongo);
}

async function holds(mongo: MongoDb, collection: string): Promise<boolean> {
  return (await mongo.answer(mongo.collection(collection).findOne({}))) !== null;
}
