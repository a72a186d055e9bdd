import { masterKeyCheck, type Keyring } from '#eventsourcing';
import { answered } from '../answered.js';
import { isDuplicate } from '../errors.js';
import { MongoDbUnusable, type MongoDb } from '../mongo-db.js';

/**
 * Remembers which master key the database is written with, and holds every process to it.
 * @throws MongoDbUnusable in words when it is another one
 */
export async function checkMasterKey(mongo: MongoDb, keyring: Keyring): Promise<void> {
  const check = masterKeyCheck(keyring);
  const known = mongo.collection<{ readonly _id: string; readonly check: string }>('master_key');
  try {
    await answered(known.insertOne({ _id: 'master_key', check }));
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const found = await answered(known.findOne({ _id: 'master_key' }));
    if (found?.check !== check) {
      throw new MongoDbUnusable(
        'the database of MONGODB_URL was written with another master key: give this process the MASTER_KEY of the others',
      );
    }
  }
}
