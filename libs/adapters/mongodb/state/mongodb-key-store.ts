import { Binary, type Collection } from 'mongodb';
import { BoundedMap, type FreshKeys, type Keyring, type KeyStore, OWN_KEYS, PersonKeySeal } from '#eventsourcing';
import { openedAgain } from './opened-again.js';
import { isDuplicate } from '../errors.js';
import type { MongoDb } from '../mongo-db.js';
import { ChangeMarks } from './change-marks.js';

/**
 * A person's key. A destroyed key leaves its document for ever, without the key, so that no other key is made for the
 * person.
 */
interface KeyDocument {
  readonly _id: string;
  readonly wrapped: Binary | null;
  /** The number of the key that wraps it; 0 if absent. */
  readonly key?: number;
  /** See `ChangeMarks`. */
  readonly changed?: string;
}

type KnownKey =
  | { readonly kind: 'present'; readonly key: Buffer; readonly until: number }
  /** A destruction is final, so it may be cached for ever. */
  | { readonly kind: 'destroyed' };

/** The keys of the last used persons stay in memory: 20 000 to 40 000 keys of 32 bytes. */
const CACHED = 20_000;
/** Milliseconds that a key is used without asking again: another process may have destroyed it. */
const KNOWN_FOR = 5_000;

/** Keys of persons in the collection `person_keys`, wrapped. MongoDB never holds an open key. */
export class MongoDbKeyStore implements KeyStore {
  readonly #keys: Collection<KeyDocument>;
  readonly #seal: PersonKeySeal;
  readonly #marks: ChangeMarks;
  readonly #cache = new BoundedMap<string, KnownKey>(CACHED);

  /** @param now a clock in milliseconds that nobody moves */
  constructor(
    private readonly mongo: MongoDb,
    keyring: Keyring,
    private readonly now: () => number = () => mongo.machine.time.monotonic(),
    private readonly keys: FreshKeys = OWN_KEYS,
  ) {
    this.#keys = mongo.collection('person_keys');
    this.#seal = new PersonKeySeal(keyring);
    this.#marks = new ChangeMarks(mongo);
  }

  async obtain(person: string): Promise<Buffer | undefined> {
    return this.#known(person, () => this.#make(person));
  }

  async get(person: string): Promise<Buffer | undefined> {
    return this.#known(person, () => this.mongo.answer(this.#keys.findOne({ _id: person })));
  }

  async knows(person: string): Promise<boolean> {
    return (await this.mongo.answer(this.#keys.findOne({ _id: person }))) !== null;
  }

  async *persons(size: number): AsyncIterable<readonly string[]> {
    for (let last = ''; ;) {
      const page = await this.mongo.answer(
        this.#keys
          .find({ _id: { $gt: last } }, { projection: { _id: 1 } })
          .sort({ _id: 1 })
          .limit(size)
          .toArray(),
      );
      if (page.length > 0) yield page.map(({ _id }) => _id);
      last = page.at(-1)?._id ?? last;
      if (page.length < size) return;
    }
  }

  async destroy(person: string): Promise<void> {
    // From now on no read of this process gives the key, even one that is under way.
    this.#cache.set(person, { kind: 'destroyed' });
    try {
      await this.mongo.answer(
        this.#keys.updateOne(
          { _id: person },
          { $set: { wrapped: null, changed: this.#marks.next() }, $unset: { key: '' } },
          { upsert: true },
        ),
      );
    } catch (error) {
      if (isDuplicate(error)) return this.destroy(person);
      // The key may not be destroyed: the next read asks.
      this.#cache.delete(person);
      throw error;
    }
  }

  /** MongoDb owns the connection and closes it. */
  async close(): Promise<void> {}

  async #known(person: string, ask: () => Promise<KeyDocument | null>): Promise<Buffer | undefined> {
    const askedAt = this.now();
    const known = this.#cache.get(person);
    if (known?.kind === 'destroyed') return undefined;
    if (known !== undefined && askedAt < known.until) return known.key;
    return openedAgain(this.keys, async () => this.#learnt(person, await ask(), askedAt));
  }

  #learnt(person: string, found: KeyDocument | null, askedAt: number): Buffer | undefined {
    // The key was destroyed meanwhile: an earlier read must not bring it back.
    if (found === null || this.#cache.get(person)?.kind === 'destroyed') return undefined;
    if (found.wrapped === null) {
      this.#cache.set(person, { kind: 'destroyed' });
      return undefined;
    }
    const key = this.#seal.open(person, { key: found.key ?? 0, bytes: found.wrapped.value() });
    this.#cache.set(person, { kind: 'present', key, until: askedAt + KNOWN_FOR });
    return key;
  }

  /** The existing key, or else this one. This call makes the key that it finds durable, if it was not yet. */
  #make(person: string): Promise<KeyDocument | null> {
    const key = this.#seal.newKey();
    let before: Binary | undefined;
    return this.keys.sealing(async () => {
      const sealed = this.#seal.seal(person, key);
      const document = { wrapped: new Binary(sealed.bytes), key: sealed.key, changed: this.#marks.next() };
      // A slow first try may have made it under a key that seals no more.
      if (before !== undefined)
        await this.mongo.answer(this.#keys.updateOne({ _id: person, wrapped: before }, { $set: document }));
      before = document.wrapped;
      return this.#insert(person, document);
    });
  }

  async #insert(person: string, document: Omit<KeyDocument, '_id'>): Promise<KeyDocument | null> {
    try {
      return await this.mongo.answer(
        this.#keys.findOneAndUpdate(
          { _id: person },
          { $setOnInsert: document },
          { upsert: true, returnDocument: 'after' },
        ),
      );
    } catch (error) {
      // A rival was first, so its key counts.
      if (isDuplicate(error)) return this.#insert(person, document);
      throw error;
    }
  }
}
