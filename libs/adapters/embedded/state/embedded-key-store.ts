import { randomBytes } from 'node:crypto';
import type { Keyring, KeyStore } from '#eventsourcing';
import { KeyCache, type KnownKey } from './key-cache.js';
import type { StoredKey } from './messages.js';
import type { StateLink } from './state-link.js';

const PURPOSE = 'person-key';
/** Keys of the persons met last stay in memory: 20 000 to 40 000 of 32 bytes. */
const CACHED = 20_000;

/** Keys of persons in state.db, wrapped under the master key; only the calling thread ever holds an open one. */
export class EmbeddedKeyStore implements KeyStore {
  readonly #cache = new KeyCache(CACHED);

  constructor(
    private readonly link: StateLink,
    private readonly keyring: Keyring,
  ) {}

  async obtain(person: string): Promise<Buffer | undefined> {
    const known = this.#known(person);
    if (known !== undefined) return known === 'destroyed' ? undefined : known;
    // Copied: a Buffer lies in a pool, and would take all of it along to the other thread.
    const candidate = new Uint8Array(this.keyring.wrap(PURPOSE, randomBytes(32), person));
    return this.#learn(person, await this.link.request({ op: 'obtain-key', person, candidate }));
  }

  async get(person: string): Promise<Buffer | undefined> {
    const known = this.#known(person);
    if (known !== undefined) return known === 'destroyed' ? undefined : known;
    return this.#learn(person, await this.link.request({ op: 'get-key', person }));
  }

  async destroy(person: string): Promise<void> {
    this.#cache.delete(person);
    await this.link.request({ op: 'destroy-key', person });
    // Answers come in the order of the requests: a read that was under way has put the key back by now, a later one cannot.
    this.#cache.delete(person);
    this.#cache.set(person, 'destroyed');
  }

  /** The file belongs to the EmbeddedState, which closes it. */
  async close(): Promise<void> {}

  /** Of a store that has failed nothing is known, not even what was read before. */
  #known(person: string): KnownKey | undefined {
    this.link.assertOpen();
    return this.#cache.get(person);
  }

  #learn(person: string, stored: StoredKey | undefined): Buffer | undefined {
    if (stored === undefined) return undefined;
    const key = stored.state === 'present' ? this.keyring.unwrap(PURPOSE, stored.wrapped, person) : undefined;
    this.#cache.set(person, key ?? 'destroyed');
    return key;
  }
}
