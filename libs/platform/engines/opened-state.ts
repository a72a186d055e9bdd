import type { MongoDbProjections, MongoDbProjectorDesk } from '#adapters/mongodb';
import type { StateRows } from '#backup';
import type {
  KeyValueStore,
  IdempotencyRecords,
  Keyring,
  KeyStore,
  Leases,
  LiveKeys,
  SealedRows,
  SeenByView,
  SnapshotStore,
  Vault,
  ViewReaders,
} from '#eventsourcing';
import type { ViewsLocation } from './locations.js';

/** The channels between processes that share their engines. */
export interface SharedEngines {
  readonly leases: Leases;
  /** The projector, in whichever process it runs. */
  readonly projections: Pick<MongoDbProjections, 'follow' | 'report' | 'order' | 'hurry'>;
  /** Makes a desk, each time that this process gets the projector's lease. */
  readonly newDesk: () => Pick<MongoDbProjectorDesk, 'publish' | 'serve' | 'close'>;
}

/** Everything that an installation stores beside the log. */
export interface OpenedState {
  readonly views: ViewReaders;
  /** How far the views that were built from a log have come. */
  readonly seenByViews: (log: string) => Promise<readonly SeenByView[]>;
  /** The keys of the installation, and their entry in the key store. */
  readonly keyring: Keyring;
  readonly liveKeys: LiveKeys;
  /** What is sealed under them. */
  readonly sealed: SealedRows;
  readonly keys: KeyStore;
  readonly vault: Vault;
  readonly records: IdempotencyRecords;
  readonly keyValues: KeyValueStore;
  readonly snapshots: SnapshotStore;
  /** The same as it is stored, if only this process can read it. */
  readonly copied?: StateRows;
  /** The location at which the projector's thread opens the views. */
  readonly location: ViewsLocation;
  readonly shared: SharedEngines | undefined;
  /** Resolves when nothing more can be stored until a restart; absent for a server, which comes back. */
  readonly failed?: Promise<Error>;
  close(): Promise<void>;
}
