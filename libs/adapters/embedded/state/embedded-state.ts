import { thisMachine } from '#adapters/machine';
import {
  assertMayBeMade,
  type KeyValueStore,
  type IdempotencyRecords,
  type Keyring,
  type KeyStore,
  type KeyStorePast,
  KEYS_ENTRY,
  LiveKeys,
  type MasterKey,
  type Randomness,
  type SealedRows,
  unwrapKeys,
  type Vault,
} from '#eventsourcing';
import { EmbeddedKeyValueStore } from './embedded-key-value-store.js';
import { EmbeddedIdempotencyRecords } from './embedded-idempotency-records.js';
import { EmbeddedKeyStore } from './embedded-key-store.js';
import { EmbeddedVault } from './embedded-vault.js';
import { sealedRowsOf } from './sealed-rows.js';
import { inspectState } from './state-file.js';
import type { StateRows } from '#backup';
import { StateLink } from './state-link.js';

/**
 * Everything that is neither event nor view, in one SQLite file that one thread owns: the keys of persons, the vault, the
 * answers kept for repeats, and the entries of the installation. Every change is synced before its promise resolves; changes
 * that wait together share one sync. A failed write or sync is final: from then on every call rejects with StoreFailed.
 */
export class EmbeddedState {
  readonly keys: KeyStore;
  readonly vault: Vault;
  readonly records: IdempotencyRecords;
  readonly keyValues: KeyValueStore;
  /** The same as it is stored, for a backup. */
  readonly copied: StateRows;
  readonly sealed: SealedRows;

  private constructor(
    private readonly link: StateLink,
    readonly liveKeys: LiveKeys,
  ) {
    const { keyring } = liveKeys;
    this.keys = new EmbeddedKeyStore(link, keyring);
    this.vault = new EmbeddedVault(link, keyring);
    this.records = new EmbeddedIdempotencyRecords(link, keyring);
    this.keyValues = new EmbeddedKeyValueStore(link);
    this.copied = {
      entries: () => link.request({ op: 'copy-entries' }),
      rows: (kind, after) => link.request({ op: 'copy-rows', kind, after }),
      changes: (since) => link.request({ op: 'copy-changes', since }),
    };
    this.sealed = sealedRowsOf(link);
  }

  /**
   * Opens the file, or makes it in an existing folder. It changes nothing before it knows that the keys open.
   * @param written what was written under keys, as text; if set, no keys are made
   * @throws Error with a message for operators if the file is another program's or build's, damaged, in use, or written with
   * another master key; KeysLost if it lacks keys that it must have
   */
  static async open(file: string, master: MasterKey, written?: string, machine = thisMachine): Promise<EmbeddedState> {
    const past = keysPast(file, master, written, machine.randomness);
    const link = await StateLink.open({ file });
    try {
      return new EmbeddedState(link, await LiveKeys.open(new EmbeddedKeyValueStore(link), master, past, machine));
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  get keyring(): Keyring {
    return this.liveKeys.keyring;
  }

  /** Resolves when the file has failed for good. */
  get failed(): Promise<Error> {
    return this.link.failed;
  }

  /** Waits for the calls under way. Later ones reject. */
  close(): Promise<void> {
    return this.link.close();
  }
}

/** What the file says about its keys, after a check that they open. Writes nothing. */
function keysPast(file: string, master: MasterKey, written: string | undefined, randomness: Randomness): KeyStorePast {
  const look = inspectState(file);
  const past = {
    place: file,
    written: look?.holdsSecrets === true ? 'it holds sealed secrets' : written,
  };
  const keys = look?.keyValues.get(KEYS_ENTRY);
  if (keys !== undefined) unwrapKeys(keys, master(false), file, randomness);
  else assertMayBeMade(past);
  return past;
}
