import { Binary, type Collection, type Filter } from 'mongodb';
import { type FreshKeys, type Keyring, OWN_KEYS, SecretSeal, type Vault } from '#eventsourcing';
import { openedAgain } from './opened-again.js';
import { isDuplicate } from '../errors.js';
import type { MongoDb } from '../mongo-db.js';
import { ChangeMarks } from './change-marks.js';

/** A secret. A destroyed one leaves its document, without the secret, so that no late request stores it again. */
interface SecretDocument {
  readonly _id: string;
  readonly sealed: Binary | null;
  /** The number of the key that it is sealed under; 0 if absent. */
  readonly key?: number;
  /** How often it was stored or destroyed. */
  readonly count: number;
  /** See `ChangeMarks`. */
  readonly changed?: string;
}

type Content = Pick<SecretDocument, 'sealed' | 'key'>;

/**
 * Secrets in the collection `vault`, each sealed with its id. MongoDB never holds an open secret. A replaced or destroyed
 * secret is gone for every reader immediately; MongoDB may keep the sealed bytes in its journal and oplog until it
 * overwrites them.
 *
 * A request may arrive twice, or long after its answer was given up. So each change names the count that it replaces, and
 * matches nothing once another one was made.
 */
export class MongoDbVault implements Vault {
  private readonly secrets: Collection<SecretDocument>;
  private readonly seal: SecretSeal;
  private readonly marks: ChangeMarks;
  /** The last change under way for each id: connections do not keep the order of the calls. */
  private readonly changes = new Map<string, Promise<unknown>>();

  constructor(
    private readonly mongo: MongoDb,
    keyring: Keyring,
    private readonly keys: FreshKeys = OWN_KEYS,
  ) {
    this.secrets = mongo.collection('vault');
    this.seal = new SecretSeal(keyring);
    this.marks = new ChangeMarks(mongo);
  }

  async put(id: string, secret: Buffer): Promise<void> {
    const given = Buffer.from(secret);
    await this.inOrder(id, () =>
      this.keys.sealing(() => {
        const { key, bytes } = this.seal.seal(id, given);
        return this.change(id, { sealed: new Binary(bytes), key }, 'or insert');
      }),
    );
  }

  async get(id: string): Promise<Buffer | undefined> {
    return openedAgain(this.keys, async () => {
      const found = await this.mongo.answer(this.secrets.findOne({ _id: id }));
      if (found === null || found.sealed === null) return undefined;
      return this.seal.open(id, { key: found.key ?? 0, bytes: found.sealed.value() });
    });
  }

  async destroy(id: string): Promise<void> {
    await this.inOrder(id, () => this.change(id, { sealed: null }, 'if there'));
  }

  fingerprint(text: string): string {
    return this.seal.fingerprint(text);
  }

  /** MongoDb owns the connection and closes it. */
  async close(): Promise<void> {}

  /** Also over a change that another process makes at the same moment. */
  private async change(id: string, content: Content, mode: 'or insert' | 'if there'): Promise<void> {
    for (;;) {
      const there = await this.mongo.answer(this.secrets.findOne({ _id: id }, { projection: { count: 1 } }));
      if (there === null && mode === 'if there') return;
      const next = { ...content, count: (there?.count ?? 0) + 1, changed: this.marks.next() };
      if (await (there === null ? this.insert(id, next) : this.replaceIf(id, there.count, next))) return;
    }
  }

  private async insert(id: string, secret: Omit<SecretDocument, '_id'>): Promise<boolean> {
    try {
      await this.mongo.answer(this.secrets.insertOne({ _id: id, ...secret }));
      return true;
    } catch (error) {
      // Another process made the document at the same moment.
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  private async replaceIf(id: string, count: number, secret: Omit<SecretDocument, '_id'>): Promise<boolean> {
    const still: Filter<SecretDocument> = { _id: id, count };
    const { matchedCount } = await this.mongo.answer(this.secrets.replaceOne(still, secret));
    return matchedCount === 1;
  }

  private async inOrder(id: string, change: () => Promise<unknown>): Promise<void> {
    const before = this.changes.get(id);
    const mine = (async () => {
      await before?.catch(() => undefined);
      await change();
    })();
    this.changes.set(id, mine);
    try {
      await mine;
    } finally {
      if (this.changes.get(id) === mine) this.changes.delete(id);
    }
  }
}
