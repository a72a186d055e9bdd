import { randomUUID } from 'node:crypto';
import { afterAll } from '@jest/globals';
import { Keyring, type KeyStore, type KeyValueStore, type Vault } from '#eventsourcing';
import { eventLogContract } from '../../contracts/event-log.contract.js';
import { idempotencyRecordsContract, type RecordsAndKeys } from '../../contracts/idempotency-records.contract.js';
import { keyStoreContract } from '../../contracts/key-store.contract.js';
import { keyValueStoreContract } from '../../contracts/key-value-store.contract.js';
import { vaultContract } from '../../contracts/vault.contract.js';
import { viewStoreContract, type ViewStoreSubject } from '../../contracts/view-store.contract.js';
import { SimulatedFileLog } from '../embedded/log.js';
import { SimulatedViewReaders, SimulatedViewStore, ViewFiles } from '../embedded/views.js';
import { SyncedFile } from '../world/disk.js';
import { LogData } from '../world/log-data.js';
import {
  SimulatedKeyStore,
  SimulatedKeyValues,
  SimulatedRecords,
  SimulatedVault,
  type StateAccess,
} from '../world/state.js';
import { StateData } from '../world/state-data.js';
import { LivingWorld } from './living-world.js';

const living = new LivingWorld('own');
const { world } = living;
afterAll(() => living.end());

const keyring = Keyring.of(Buffer.alloc(32, 1), living.life().machine.randomness);
const NOBODY = { appended: () => undefined, failed: () => undefined, hindered: () => undefined };
const FAILED = { failed: () => new Error('it failed'), full: () => new Error('it is full') };

function accessTo(data: StateData): StateAccess {
  const file = new SyncedFile(world, living.life(), 'state.db', FAILED);
  return { change: (change) => file.write(() => change(data)), read: (read) => Promise.resolve(read(data)) };
}

/** A store on data that other processes can open too. */
function subject<Store>(open: (access: StateAccess) => Store): () => Promise<{
  readonly store: Store;
  reopen(): Promise<Store>;
  dispose(): Promise<void>;
}> {
  return async () => {
    const data = new StateData();
    return {
      store: open(accessTo(data)),
      reopen: async () => open(accessTo(data)),
      dispose: async () => undefined,
    };
  };
}

const NAME = 'the simulated data folder';
keyValueStoreContract(
  NAME,
  subject((access): KeyValueStore => new SimulatedKeyValues(access)),
);
keyStoreContract(
  NAME,
  subject((access): KeyStore => new SimulatedKeyStore(access, keyring)),
);
vaultContract(
  NAME,
  subject((access): Vault => new SimulatedVault(access, keyring)),
);
idempotencyRecordsContract(
  NAME,
  subject((access): RecordsAndKeys => ({
    records: new SimulatedRecords(access, keyring),
    keys: new SimulatedKeyStore(access, keyring),
  })),
);

eventLogContract(NAME, async () => {
  const data = new LogData(randomUUID());
  const open = (): SimulatedFileLog => new SimulatedFileLog(world, living.life(), data, NOBODY);
  let log = open();
  return {
    get log() {
      return log;
    },
    async reopen() {
      await log.close();
      log = open();
      return log;
    },
    close: () => log.close(),
  };
});

function onViews(files: ViewFiles): ViewStoreSubject {
  const store = new SimulatedViewStore(world, living.life(), files);
  return {
    store,
    readers: new SimulatedViewReaders(files),
    reopen: async () => onViews(files),
    close: () => store.close(),
  };
}
viewStoreContract(NAME, async () => onViews(new ViewFiles(world.random)));
