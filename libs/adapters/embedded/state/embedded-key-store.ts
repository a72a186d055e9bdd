import { BoundedMap, type Keyring, type KeyStore, PersonKeySeal } from '#eventsourcing';
import { forThread, type StoredKey } from './messages.js';
import type { StateLink } from './state-link.js';

/** What is known of a person's key: its bytes, or that it is destroyed. */
type KnownKey = Buffer | 'destroyed';

/** The keys of the last used persons stay in memory: 20 000 to 40 000 keys of 32 bytes. */
const CACHED = 20_000;

/** Keys of persons in state.db, sealed. Only the calling thread ever holds an open key. */
export class EmbeddedKeyStore implements KeyStore {
  readonly #cache = new BoundedMap<string, KnownKey>(CACHED);
  readonly #seal: PersonKeySeal;

  constructor(
    private readonly link: StateLink,
    keyring: Keyring,
  ) {
    this.#seal = new PersonKeySeal(keyring);
  }

  async obtain(person: string): Promise<Buffer | undefined> {
    const known = this.#known(person);
    if (known !== undefined) return known === 'destroyed' ? undefined : known;
    const candidate = forThread(this.#seal.make(person));
    return this.#learn(person, await this.link.request({ op: 'obtain-key', person, candidate }));
  }

  async get(person: string): Promise<Buffer | undefined> {
    const known = this.#known(person);
    if (known !== undefined) return known === 'destroyed' ? undefined : known;
    return this.#learn(person, await this.link.request({ op: 'get-key', person }));
  }

  async knows(person: string): Promise<boolean> {
    return (await this.link.request({ op: 'get-key', person })) !== undefined;
  }

  async *persons(size: number): AsyncIterable<readonly string[]> {
    for (let after = 0; ;) {
      const page = await this.link.request({ op: 'list-persons', after, size });
      if (page.persons.length > 0) yield page.persons;
      if (page.persons.length < size) return;
      after = page.last;
    }
  }

  async destroy(person: string): Promise<void> {
    this.#cache.delete(person);
    await this.link.request({ op: 'destroy-key', person });
    // Answers come in the order of the requests: an earlier read has already put the key back, and a later one cannot.
    this.#cache.delete(person);
    this.#cache.set(person, 'destroyed');
  }

  /** EmbeddedState owns the file and closes it. */
  async close(): Promise<void> {}

  /** After a failure of the store nothing counts as known, not even what was read before. */
  #known(person: string): KnownKey | undefined {
    this.link.assertOpen();
    return this.#cache.get(person);
  }

  #learn(person: string, stored: StoredKey | undefined): Buffer | undefined {
    if (stored === undefined) return undefined;
    const key = stored.state === 'present' ? this.#seal.open(person, stored.wrapped) : undefined;
    this.#cache.set(person, key ?? 'destroyed');
    return key;
  }
}
