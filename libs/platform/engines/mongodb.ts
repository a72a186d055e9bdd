import type { Logger } from 'pino';
import {
  MongoDb,
  MongoDbKeyValueStore,
  MongoDbIdempotencyRecords,
  MongoDbKeyStore,
  MongoDbLeases,
  MongoDbProjections,
  MongoDbProjectorDesk,
  MongoDbSealedRows,
  MongoDbSnapshotStore,
  MongoDbVault,
  MongoDbViewReaders,
  openMongoDbKeys,
  seenByViews,
} from '#adapters/mongodb';
import type { LiveKeys, Machine, MasterKey } from '#eventsourcing';
import { views } from '../registry.js';
import type { OpenedState, SharedEngines } from './opened-state.js';

/**
 * Views, keys, vault and stored answers on MongoDB, and the channels between processes that share it.
 * @param keys the source of the master key, and a description of what was written with keys before, if anything was
 * @throws Error for people to read if it cannot be reached, was written with another master key, or has lost its keys
 */
export async function openOnMongoDb(
  url: string,
  keys: { readonly master: MasterKey; readonly written: string | undefined },
  logger: Logger,
  machine: Machine,
): Promise<OpenedState & { readonly shared: SharedEngines }> {
  const mongo = await MongoDb.connect(url, machine);
  let liveKeys: LiveKeys;
  try {
    liveKeys = await openMongoDbKeys(mongo, keys.master, keys.written);
  } catch (error) {
    await mongo.close();
    throw error;
  }
  const { keyring } = liveKeys;
  const readers = new MongoDbViewReaders(mongo);
  return {
    views: readers,
    seenByViews: (log) => seenByViews(mongo, views, log),
    liveKeys,
    keyring,
    keys: new MongoDbKeyStore(mongo, keyring, undefined, liveKeys),
    vault: new MongoDbVault(mongo, keyring, liveKeys),
    records: new MongoDbIdempotencyRecords(mongo, keyring, liveKeys),
    sealed: new MongoDbSealedRows(mongo),
    keyValues: new MongoDbKeyValueStore(mongo),
    snapshots: new MongoDbSnapshotStore(mongo),
    location: { engine: 'mongodb', url },
    shared: shareOn(mongo, logger),
    async close() {
      await readers.close();
      await mongo.close();
    },
  };
}

function shareOn(mongo: MongoDb, logger: Logger): SharedEngines {
  const failed = (error: unknown): void =>
    logger.warn({ err: error }, 'the state of the projections cannot be shared at the moment');
  return {
    leases: new MongoDbLeases(mongo, (name, error) =>
      logger.error({ err: error }, `the work under the lease ${name} has failed`),
    ),
    projections: new MongoDbProjections(mongo, failed),
    newDesk: () => new MongoDbProjectorDesk(mongo, failed),
  };
}
