import { Binary, type Collection } from 'mongodb';
import { type Keyring, SecretSeal, type Vault } from '#eventsourcing';
import type { MongoDb } from '../mongo-db.js';

interface SecretDocument {
  readonly _id: string;
  readonly sealed: Binary;
  /** The number of the key that it is sealed under; 0 if absent. */
  readonly key?: number;
}

/**
 * Secrets in the collection `vault`, each sealed with its id. MongoDB never holds an open secret. A replaced or destroyed
 * secret is gone for every reader immediately; MongoDB may keep the sealed bytes in its journal and oplog until it
 * overwrites them.
 */
export class MongoDbVault implements Vault {
  private readonly secrets: Collection<SecretDocument>;
  private readonly seal: SecretSeal;
  /** The last change under way for each id: connections do not keep the order of the calls. */
  private readonly changes = new Map<string, Promise<unknown>>();

  constructor(
    private readonly mongo: MongoDb,
    keyring: Keyring,
  ) {
    this.secrets = mongo.collection('vault');
    this.seal = new SecretSeal(keyring);
  }

  async put(id: string, secret: Buffer): Promise<void> {
    const { key, bytes } = this.seal.seal(id, secret);
    const sealed = new Binary(bytes);
    await this.inOrder(id, () => this.secrets.replaceOne({ _id: id }, { sealed, key }, { upsert: true }));
  }

  async get(id: string): Promise<Buffer | undefined> {
    const found = await this.mongo.answer(this.secrets.findOne({ _id: id }));
    return found === null ? undefined : this.seal.open(id, { key: found.key ?? 0, bytes: found.sealed.value() });
  }

  async destroy(id: string): Promise<void> {
    await this.inOrder(id, () => this.secrets.deleteOne({ _id: id }));
  }

  fingerprint(text: string): string {
    return this.seal.fingerprint(text);
  }

  /** MongoDb owns the connection and closes it. */
  async close(): Promise<void> {}

  private async inOrder(id: string, change: () => Promise<unknown>): Promise<void> {
    const before = this.changes.get(id);
    const mine = (async () => {
      await before?.catch(() => undefined);
      await this.mongo.answer(change());
    })();
    this.changes.set(id, mine);
    try {
      await mine;
    } finally {
      if (this.changes.get(id) === mine) this.changes.delete(id);
    }
  }
}
