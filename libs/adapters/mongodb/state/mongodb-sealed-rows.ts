import { Binary, type Collection, type Filter, type UpdateFilter } from 'mongodb';
import type { ResealedRow, SealedKind, SealedPart, SealedRows } from '#eventsourcing';
import type { MongoDb } from '../mongo-db.js';
import { ChangeMarks } from './change-marks.js';

/** Documents of a part. */
const PART = 250;

/** A document with sealed bytes, in any of these collections. */
interface Stored {
  readonly _id: string;
  readonly wrapped?: Binary | null;
  readonly sealed?: Binary | null;
  readonly answer?: Binary | null;
  readonly key?: number;
  readonly count?: number;
  readonly changed?: string;
}

const OF = {
  key: { collection: 'person_keys', field: 'wrapped' },
  secret: { collection: 'vault', field: 'sealed' },
  answer: { collection: 'idempotency_records', field: 'answer' },
} as const satisfies Readonly<Record<SealedKind, { readonly collection: string; readonly field: keyof Stored }>>;

/** What is sealed in MongoDB, sealed again while other processes write. */
export class MongoDbSealedRows implements SealedRows {
  private readonly marks: ChangeMarks;

  constructor(private readonly mongo: MongoDb) {
    this.marks = new ChangeMarks(mongo);
  }

  async part(kind: SealedKind, after: string | undefined): Promise<SealedPart> {
    const where: Filter<Stored> = after === undefined ? {} : { _id: { $gt: after } };
    const found = await this.mongo.answer(this.#collection(kind).find(where).sort({ _id: 1 }).limit(PART).toArray());
    return {
      read: found.length,
      rows: found.flatMap((document) => {
        const bytes = document[OF[kind].field];
        if (!(bytes instanceof Binary)) return [];
        return [{ kind, name: document._id, sealed: { key: document.key ?? 0, bytes: bytes.value() } }];
      }),
      next: found.length < PART ? undefined : found.at(-1)?._id,
    };
  }

  async reseal(rows: readonly ResealedRow[]): Promise<void> {
    for (const { kind, name, sealed, again } of rows) {
      const { field } = OF[kind];
      const still: Filter<Stored> = { _id: name, [field]: new Binary(sealed.bytes) };
      const update: UpdateFilter<Stored> = {
        $set: { [field]: new Binary(again.bytes), key: again.key, changed: this.marks.next() },
        // A change of the secret that was on its way names the count before: it is made again.
        ...(kind === 'secret' && { $inc: { count: 1 } }),
      };
      await this.mongo.answer(this.#collection(kind).updateOne(still, update));
    }
  }

  #collection(kind: SealedKind): Collection<Stored> {
    return this.mongo.collection(OF[kind].collection);
  }
}
