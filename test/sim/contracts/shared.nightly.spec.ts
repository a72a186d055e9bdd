import { randomUUID } from 'node:crypto';
import { afterAll } from '@jest/globals';
import { EventStoreDbLog } from '#adapters/eventstoredb';
import {
  type MongoDb,
  MongoDbIdempotencyRecords,
  MongoDbKeyStore,
  MongoDbKeyValueStore,
  MongoDbVault,
} from '#adapters/mongodb';
import { Keyring, type KeyStore, type KeyValueStore, type Vault } from '#eventsourcing';
import { eventLogContract } from '../../contracts/event-log.contract.js';
import { idempotencyRecordsContract, type RecordsAndKeys } from '../../contracts/idempotency-records.contract.js';
import { keyStoreContract } from '../../contracts/key-store.contract.js';
import { keyValueStoreContract } from '../../contracts/key-value-store.contract.js';
import { vaultContract } from '../../contracts/vault.contract.js';
import { viewStoreContract, type ViewStoreSubject } from '../../contracts/view-store.contract.js';
import { workTimersContract } from '../../contracts/work-timers.contract.js';
import { EventStore } from '../shared/eventstoredb/event-store.js';
import { EventStoreClient } from '../shared/eventstoredb/event-store-client.js';
import { MongoClientLine, simulatedMongoDb } from '../shared/mongodb/mongo-client.js';
import { MongoServer } from '../shared/mongodb/mongo-server.js';
import { MongoViewReaders, MongoViewStore } from '../shared/mongodb/mongo-views.js';
import { RedisServer } from '../shared/redis/redis-server.js';
import { SimulatedRedisTimers } from '../shared/redis/redis-timers.js';
import { LivingWorld } from './living-world.js';

const living = new LivingWorld('own');
/** Timers are asked by the machine's own clock. */
const punctual = new LivingWorld('machine');
afterAll(async () => {
  await living.end();
  await punctual.end();
});

const eventStore = new EventStore(living.world, 'test_');
eventLogContract('the simulated EventStoreDB', async () => {
  const prefix = `test_${randomUUID().slice(0, 8)}_`;
  const open = (): Promise<EventStoreDbLog> => {
    const life = living.life();
    const { machine } = life;
    return EventStoreDbLog.on(new EventStoreClient(eventStore, life), { url: 'esdb://one:2113', prefix, machine });
  };
  let log = await open();
  return {
    get log() {
      return log;
    },
    async reopen() {
      await log.close();
      log = await open();
      return log;
    },
    close: () => log.close(),
  };
});

const keyring = Keyring.of(Buffer.alloc(32, 1), living.life().machine.randomness);

function lineTo(server: MongoServer): MongoClientLine {
  return new MongoClientLine(server, living.life());
}

/** A store on a database that other processes can open too. */
function subject<Store>(open: (mongo: MongoDb) => Store): () => Promise<{
  readonly store: Store;
  reopen(): Promise<Store>;
  dispose(): Promise<void>;
}> {
  return async () => {
    const server = new MongoServer(living.world);
    const connect = (): Store => open(simulatedMongoDb(lineTo(server), living.life()));
    return { store: connect(), reopen: async () => connect(), dispose: async () => undefined };
  };
}

const NAME = 'the simulated MongoDB';
keyValueStoreContract(
  NAME,
  subject((mongo): KeyValueStore => new MongoDbKeyValueStore(mongo)),
);
keyStoreContract(
  NAME,
  subject((mongo): KeyStore => new MongoDbKeyStore(mongo, keyring)),
);
vaultContract(
  NAME,
  subject((mongo): Vault => new MongoDbVault(mongo, keyring)),
);
idempotencyRecordsContract(
  NAME,
  subject((mongo): RecordsAndKeys => ({
    records: new MongoDbIdempotencyRecords(mongo, keyring),
    keys: new MongoDbKeyStore(mongo, keyring),
  })),
);

function onViews(server: MongoServer): ViewStoreSubject {
  const store = new MongoViewStore(lineTo(server));
  return {
    store,
    readers: new MongoViewReaders(lineTo(server), living.life()),
    reopen: async () => onViews(server),
    close: () => store.close(),
  };
}
viewStoreContract(NAME, async () => onViews(new MongoServer(living.world)));

workTimersContract('the simulated Redis', async (clock) => {
  const server = new RedisServer(punctual.world);
  return new SimulatedRedisTimers(server, punctual.life(), { clock, onError: () => undefined });
});
