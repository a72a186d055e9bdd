import { Binary, type Collection, type Filter } from 'mongodb';
import type { AnswerLine, RowKind, RowPart, StateLine, StateRows } from '#backup';
import type { MongoDb } from '../mongo-db.js';
import { FORMAT_ENTRY, nameFormat } from './mongodb-format.js';
import { MongoDbKeyValueStore } from './mongodb-key-value-store.js';

/** Documents of a part. */
const PART = 1_000;

/** A document of any of these collections. */
interface Stored {
  readonly _id: string;
  readonly text?: string;
  readonly wrapped?: Binary | null;
  readonly sealed?: Binary | null;
  readonly key?: number;
  readonly count?: number;
  readonly fingerprint?: string;
  readonly command?: string;
  readonly state?: AnswerLine['state'];
  readonly since?: number | bigint;
  readonly turn?: number;
  readonly answer?: Binary | null;
  readonly person?: string;
}

/** The collections and how their documents and lines correspond. */
const OF: Readonly<Record<RowKind, { readonly name: string; readonly line: (document: Stored) => StateLine }>> = {
  key: {
    name: 'person_keys',
    line: ({ _id, wrapped, key = 0 }) => ({ kind: 'key', person: _id, sealed: base64(wrapped), key }),
  },
  secret: {
    name: 'vault',
    line: ({ _id, sealed, key = 0 }) => ({ kind: 'secret', name: _id, sealed: base64(sealed), key }),
  },
  answer: {
    name: 'idempotency_records',
    line: ({ _id, fingerprint = '', command = '', state = 'free', since = 0, answer, key = 0, person }) => ({
      kind: 'answer',
      record: _id,
      fingerprint,
      command_id: command,
      state,
      since: Number(since),
      sealed: base64(answer),
      key,
      ...(person !== undefined && { person }),
    }),
  },
};

/** What is kept beside the log in MongoDB, read part by part while others write. */
export class MongoDbCopiedRows implements StateRows {
  readonly follows = false;

  constructor(private readonly mongo: MongoDb) {}

  async entries(): Promise<readonly StateLine[]> {
    const all = await this.mongo.answer(this.#collection('facts').find({}).toArray());
    return all
      .filter(({ _id }) => _id !== FORMAT_ENTRY)
      .map(({ _id, text }) => ({ kind: 'entry', name: _id, text: text ?? '' }));
  }

  async rows(kind: RowKind, after: string | undefined): Promise<RowPart> {
    const { name, line } = OF[kind];
    const where: Filter<Stored> = after === undefined ? {} : { _id: { $gt: after } };
    const found = await this.mongo.answer(this.#collection(name).find(where).sort({ _id: 1 }).limit(PART).toArray());
    return { lines: found.map(line), next: found.length < PART ? undefined : found.at(-1)?._id };
  }

  /** Nothing tells what has changed: a copy has each row as it was when its part was read. */
  async changes(): ReturnType<StateRows['changes']> {
    return { lines: [], mark: '', more: false };
  }

  #collection(name: string): Collection<Stored> {
    return this.mongo.collection(name);
  }
}

/** A database that gets the rows of a backup. A later row replaces an earlier one of its name. */
export class RestoredMongoDbState {
  constructor(private readonly mongo: MongoDb) {}

  /** Whether the database holds nothing of an installation. */
  async isEmpty(): Promise<boolean> {
    for (const name of ['facts', ...Object.values(OF).map((each) => each.name)])
      if ((await this.mongo.answer(this.mongo.collection(name).findOne({}))) !== null) return false;
    return true;
  }

  async add(lines: readonly StateLine[]): Promise<void> {
    const documents = new Map<string, Stored[]>();
    for (const line of lines) {
      const [name, document] = documentOf(line);
      documents.set(name, [...(documents.get(name) ?? []).filter(({ _id }) => _id !== document._id), document]);
    }
    for (const [name, all] of documents) {
      const writes = all.map((document) => ({
        replaceOne: { filter: { _id: document._id }, replacement: document, upsert: true },
      }));
      for (let at = 0; at < writes.length; at += PART) {
        const part = writes.slice(at, at + PART);
        await this.mongo.collection<Stored>(name).bulkWrite(part, { ordered: false });
      }
    }
  }

  /** Names the format: from now on a process may use the database. */
  async finish(): Promise<void> {
    await nameFormat(new MongoDbKeyValueStore(this.mongo));
  }
}

function documentOf(line: StateLine): readonly [string, Stored] {
  switch (line.kind) {
    case 'entry':
      return ['facts', { _id: line.name, text: line.text }];
    case 'key': {
      const { person: _id, sealed, key } = line;
      return ['person_keys', sealed === null ? { _id, wrapped: null } : { _id, wrapped: bytesOf(sealed), key }];
    }
    case 'secret': {
      const { name: _id, sealed, key } = line;
      return [
        'vault',
        sealed === null ? { _id, sealed: null, count: 1 } : { _id, sealed: bytesOf(sealed), key, count: 1 },
      ];
    }
    case 'answer': {
      const { record: _id, fingerprint, command_id: command, state, since, sealed, key, person } = line;
      const answer = sealed === null ? null : bytesOf(sealed);
      const shows = person === undefined ? {} : { person };
      return ['idempotency_records', { _id, fingerprint, command, state, since, turn: 0, answer, key, ...shows }];
    }
  }
}

function base64(bytes: unknown): string | null {
  return bytes instanceof Binary ? Buffer.from(bytes.value()).toString('base64') : null;
}

function bytesOf(text: string): Binary {
  return new Binary(Buffer.from(text, 'base64'));
}
