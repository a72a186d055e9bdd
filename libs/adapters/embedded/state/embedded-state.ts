import {
  masterKeyCheck,
  type Facts,
  type IdempotencyRecords,
  type Keyring,
  type KeyStore,
  type Vault,
} from '#eventsourcing';
import { EmbeddedFacts } from './embedded-facts.js';
import { EmbeddedIdempotencyRecords } from './embedded-idempotency-records.js';
import { EmbeddedKeyStore } from './embedded-key-store.js';
import { EmbeddedVault } from './embedded-vault.js';
import { StateLink } from './state-link.js';

/**
 * What is neither event nor view, in one SQLite file that one thread owns: the keys of persons, the vault, the answers
 * kept for repeats, and what the installation knows of itself. Every change is synced before its promise resolves; those
 * that wait together share one sync. A failed write or sync is final: from then on every call rejects with StoreFailed.
 */
export class EmbeddedState {
  readonly keys: KeyStore;
  readonly vault: Vault;
  readonly records: IdempotencyRecords;
  readonly facts: Facts;

  private constructor(
    private readonly link: StateLink,
    keyring: Keyring,
  ) {
    this.keys = new EmbeddedKeyStore(link, keyring);
    this.vault = new EmbeddedVault(link, keyring);
    this.records = new EmbeddedIdempotencyRecords(link, keyring);
    this.facts = new EmbeddedFacts(link);
  }

  /**
   * Opens the file, or makes it in a folder that exists.
   * @throws Error in words for a file that is foreign, damaged, newer, in use, or written with another master key
   */
  static async open(file: string, keyring: Keyring): Promise<EmbeddedState> {
    return new EmbeddedState(await StateLink.open({ file, masterKeyCheck: masterKeyCheck(keyring) }), keyring);
  }

  /** Waits for the calls under way. Later ones reject. */
  close(): Promise<void> {
    return this.link.close();
  }
}
