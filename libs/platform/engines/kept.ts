import type { MongoDbProjections, MongoDbProjectorDesk } from '#adapters/mongodb';
import type { Facts, IdempotencyRecords, Keyring, KeyStore, Leases, Vault, ViewReaders } from '#eventsourcing';
import type { ViewsPlace } from './places.js';

/** What processes that share their engines tell one another through. */
export interface SharedEngines {
  readonly leases: Leases;
  /** The projector, in whichever process it runs. */
  readonly projections: MongoDbProjections;
  /** A new one for each time that this process has the lease of the projector. */
  readonly newDesk: () => MongoDbProjectorDesk;
}

/** Everything beside the log. */
export interface Kept {
  readonly views: ViewReaders;
  /** The keys that everything is sealed with. */
  readonly keyring: Keyring;
  readonly keys: KeyStore;
  readonly vault: Vault;
  readonly records: IdempotencyRecords;
  readonly facts: Facts;
  /** Where the projector's thread finds the views. */
  readonly place: ViewsPlace;
  readonly shared: SharedEngines | undefined;
  close(): Promise<void>;
}
