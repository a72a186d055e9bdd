import {
  AnswerSeal,
  type Begun,
  type IdempotencyRecords,
  type Keyring,
  type KeyStore,
  type KeyValueStore,
  PersonKeySeal,
  type RecordKey,
  recordName,
  shownPersonName,
  SecretSeal,
  type Vault,
} from '#eventsourcing';
import type { Instant } from '#kernel';
import type { StateData } from './state-data.js';

/** The master key of every simulated installation. */
export const MASTER_KEY = Buffer.alloc(32, 7);

/** How a process reaches a key store: over a disk or a network, with all their faults. */
export interface StateAccess {
  /** Resolves once the change is durable. */
  change<T>(change: (data: StateData) => T): Promise<T>;
  read<T>(read: (data: StateData) => T): Promise<T>;
}

export class SimulatedKeyValues implements KeyValueStore {
  constructor(private readonly access: StateAccess) {}

  get(name: string): Promise<string | undefined> {
    return this.access.read(({ keyValues }) => keyValues.get(name));
  }

  insert(name: string, text: string): Promise<string> {
    return this.access.change((data) => data.insert(name, text));
  }

  replace(name: string, expected: string, text: string): Promise<boolean> {
    return this.access.change((data) => data.replace(name, expected, text));
  }
}

export class SimulatedKeyStore implements KeyStore {
  readonly #seal: PersonKeySeal;

  constructor(
    private readonly access: StateAccess,
    keyring: Keyring,
  ) {
    this.#seal = new PersonKeySeal(keyring);
  }

  async obtain(person: string): Promise<Buffer | undefined> {
    const candidate = this.#seal.make(person);
    const stored = await this.access.change((data) => data.obtainKey(person, candidate));
    return stored === null ? undefined : this.#seal.open(person, stored);
  }

  async get(person: string): Promise<Buffer | undefined> {
    const stored = await this.access.read(({ personKeys }) => personKeys.get(person));
    return stored === null || stored === undefined ? undefined : this.#seal.open(person, stored);
  }

  knows(person: string): Promise<boolean> {
    return this.access.read(({ personKeys }) => personKeys.has(person));
  }

  async *persons(size: number): AsyncIterable<readonly string[]> {
    const all = await this.access.read(({ personKeys }) => [...personKeys.keys()]);
    for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
  }

  async destroy(person: string): Promise<void> {
    await this.access.change(({ personKeys }) => personKeys.set(person, null));
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }
}

export class SimulatedVault implements Vault {
  readonly #seal: SecretSeal;

  constructor(
    private readonly access: StateAccess,
    keyring: Keyring,
  ) {
    this.#seal = new SecretSeal(keyring);
  }

  async put(id: string, secret: Buffer): Promise<void> {
    const sealed = this.#seal.seal(id, secret);
    await this.access.change(({ secrets }) => secrets.set(id, sealed));
  }

  async get(id: string): Promise<Buffer | undefined> {
    const sealed = await this.access.read(({ secrets }) => secrets.get(id));
    return sealed && this.#seal.open(id, sealed);
  }

  async destroy(id: string): Promise<void> {
    await this.access.change(({ secrets }) => secrets.delete(id));
  }

  fingerprint(text: string): string {
    return this.#seal.fingerprint(text);
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }
}

export class SimulatedRecords implements IdempotencyRecords {
  readonly #seal: AnswerSeal;

  constructor(
    private readonly access: StateAccess,
    private readonly keyring: Keyring,
  ) {
    this.#seal = new AnswerSeal(keyring);
  }

  async begin(record: RecordKey, fingerprint: string, commandId: string, now: Instant): Promise<Begun> {
    const name = recordName(this.keyring, record);
    const begun = await this.access.change((data) => data.begin(name, fingerprint, commandId, now));
    return begun.kind === 'kept' ? { kind: 'kept', answer: this.#seal.open(begun.answer) } : begun;
  }

  renew(record: RecordKey, now: Instant): Promise<void> {
    const name = recordName(this.keyring, record);
    return this.access.change((data) => data.renew(name, now));
  }

  keep(record: RecordKey, answer: Buffer, now: Instant, person?: string): Promise<void> {
    const name = recordName(this.keyring, record);
    const sealed = this.#seal.seal(answer);
    const shows = person === undefined ? null : { key: person, name: shownPersonName(this.keyring, person) };
    return this.access.change((data) => data.keep(name, sealed, now, shows));
  }

  erase(person: string): Promise<number> {
    const name = shownPersonName(this.keyring, person);
    return this.access.change((data) => data.erase(name));
  }

  free(record: RecordKey): Promise<void> {
    const name = recordName(this.keyring, record);
    return this.access.change((data) => data.free(name));
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }
}
