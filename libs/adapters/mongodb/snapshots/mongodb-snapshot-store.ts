import { createHash } from 'node:crypto';
import { Binary, type Collection } from 'mongodb';
import type { Snapshot, SnapshotName, SnapshotStore } from '#eventsourcing';
import type { MongoDb } from '../mongo-db.js';

/** Milliseconds after which a piece of a writing that no head names is left over: its writer has ended in between. */
const LEFT_OVER = 3_600_000;
/** The most bytes of a document’s piece. MongoDB takes 16 MiB, and others wait for a large one. */
const PIECE_BYTES = 1024 * 1024;

interface HeadDocument extends Omit<Snapshot, 'parts'> {
  readonly _id: string;
  /** Names the pieces of this writing: those of an earlier one are never taken for its own. */
  readonly writing: string;
  /** The bytes of each part. */
  readonly lengths: readonly number[];
}

interface PieceDocument {
  /** `<the head’s id>/<number>/<writing>`. */
  readonly _id: string;
  readonly writing: string;
  /** When it was written, in milliseconds of its writer’s clock. */
  readonly at: number;
  readonly bytes: Binary;
}

/**
 * Snapshots in two collections: `snapshots` has their heads, `snapshot_pieces` their bytes. A head is written after its pieces, and
 * the pieces of the head that it replaced go after that. So of several writers at once the last one’s snapshot stays whole:
 * processes that are stopped together write the same ones.
 */
export class MongoDbSnapshotStore implements SnapshotStore {
  readonly #heads: Collection<HeadDocument>;
  readonly #pieces: Collection<PieceDocument>;

  constructor(private readonly mongo: MongoDb) {
    this.#heads = mongo.collection('snapshots');
    this.#pieces = mongo.collection('snapshot_pieces');
  }

  async get(name: SnapshotName): Promise<Snapshot | undefined> {
    const head = await this.mongo.answer(this.#heads.findOne({ _id: idOf(name) }));
    if (head === null) return undefined;
    const { _id, writing, lengths, ...rest } = head;
    const size = lengths.reduce((sum, length) => sum + length, 0);
    const pieces: Uint8Array[] = [];
    for (let number = 0; number * PIECE_BYTES < size; number++) {
      const piece = await this.mongo.answer(this.#pieces.findOne({ _id: pieceId(_id, number, writing) }));
      if (piece === null) return undefined;
      pieces.push(piece.bytes.value());
    }
    const bytes = Buffer.concat(pieces);
    if (bytes.length !== size) return undefined;
    let at = 0;
    return { ...rest, parts: lengths.map((length) => bytes.subarray(at, (at += length))) };
  }

  async put({ parts, ...rest }: Snapshot): Promise<void> {
    const _id = idOf(rest);
    const writing = this.mongo.machine.randomness.uuid();
    const at = this.mongo.machine.time.wall();
    const bytes = Buffer.concat(parts);
    for (let number = 0; number * PIECE_BYTES < bytes.length; number++) {
      const piece = new Binary(bytes.subarray(number * PIECE_BYTES, (number + 1) * PIECE_BYTES));
      await this.mongo.answer(
        this.#pieces.insertOne({ _id: pieceId(_id, number, writing), writing, at, bytes: piece }),
      );
    }
    const lengths = parts.map(({ byteLength }) => byteLength);
    const replaced = await this.mongo.answer(
      this.#heads.findOneAndUpdate({ _id }, { $set: { ...rest, writing, lengths } }, { upsert: true }),
    );
    const goes = [{ at: { $lt: at - LEFT_OVER }, writing: { $ne: writing } }];
    const earlier = replaced === null ? goes : [...goes, { writing: replaced.writing }];
    await this.mongo.answer(this.#pieces.deleteMany({ ...ofHead(_id), $or: earlier }));
  }

  async delete(name: SnapshotName): Promise<void> {
    const _id = idOf(name);
    await this.mongo.answer(this.#heads.deleteOne({ _id }));
    await this.mongo.answer(this.#pieces.deleteMany(ofHead(_id)));
  }

  async others(digests: ReadonlySet<string>, max: number): Promise<readonly SnapshotName[]> {
    const filter = { digest: { $nin: [...digests] } };
    const found = this.#heads.find(filter, { projection: { stream: 1, digest: 1 }, limit: max }).toArray();
    return (await this.mongo.answer(found)).map(({ stream, digest }) => ({ stream, digest }));
  }
}

function idOf({ stream, digest }: SnapshotName): string {
  return `${digest}/${createHash('sha256').update(stream).digest('hex')}`;
}

function pieceId(head: string, number: number, writing: string): string {
  return `${head}/${number}/${writing}`;
}

/** The pieces of a head, by the index that every collection has. */
function ofHead(head: string): { readonly _id: { readonly $gt: string; readonly $lt: string } } {
  return { _id: { $gt: `${head}/`, $lt: `${head}0` } };
}
