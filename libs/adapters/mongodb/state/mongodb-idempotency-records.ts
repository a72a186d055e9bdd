import { Binary, type Collection } from 'mongodb';
import type { Instant } from '#kernel';
import {
  ANSWER_KEPT_FOR,
  AnswerSeal,
  type Begun,
  type FreshKeys,
  type IdempotencyRecords,
  type Keyring,
  OWN_KEYS,
  type RecordKey,
  recordName,
  shownPersonName,
  RUNNING_FREES_AFTER,
} from '#eventsourcing';
import { isDuplicate } from '../errors.js';
import type { MongoDb } from '../mongo-db.js';
import { ChangeMarks } from './change-marks.js';
import { openedAgain } from './opened-again.js';

interface RecordDocument {
  readonly _id: string;
  readonly fingerprint: string;
  readonly command: string;
  readonly state: 'running' | 'done' | 'free' | 'gone';
  /** The time of the begin, the renewal or the stored answer; 24 hours later the record counts as absent. */
  readonly since: Instant;
  /** Counts the tries: a rival that read the record before the last try finds another number here. */
  readonly turn: number;
  readonly answer: Binary | null;
  /** The number of the key that the answer is sealed under; 0 if absent. */
  readonly key?: number;
  /** Whom the answer shows; absent if nobody. */
  readonly person?: string;
  /** See `ChangeMarks`. */
  readonly changed?: string;
}

/** After this many begins, expired records are removed. */
const SWEEP_EVERY = 128;

/**
 * Records of repeatable requests in the collection `idempotency_records` (ruling A11). Of rivals in any number of processes,
 * one runs: the one that inserts the record, or that changes the record that all of them read.
 */
export class MongoDbIdempotencyRecords implements IdempotencyRecords {
  private readonly records: Collection<RecordDocument>;
  private readonly personKeys: Collection<{ readonly _id: string; readonly wrapped: Binary | null }>;
  private readonly seal: AnswerSeal;
  private readonly marks: ChangeMarks;
  private begins = 0;
  private indexed: Promise<unknown> | undefined;

  constructor(
    private readonly mongo: MongoDb,
    private readonly keyring: Keyring,
    private readonly keys: FreshKeys = OWN_KEYS,
  ) {
    this.records = mongo.collection('idempotency_records');
    this.personKeys = mongo.collection('person_keys');
    this.seal = new AnswerSeal(keyring);
    this.marks = new ChangeMarks(mongo);
  }

  async begin(record: RecordKey, fingerprint: string, commandId: string, now: Instant): Promise<Begun> {
    if (++this.begins % SWEEP_EVERY === 0) this.sweep(now);
    const _id = recordName(this.keyring, record);
    const fresh = { fingerprint, command: commandId, state: 'running', since: now, turn: 0, answer: null } as const;
    for (;;) {
      const there = await this.insert({ _id, ...fresh, changed: this.marks.next() });
      if (there === undefined) return { kind: 'run', commandId };
      // The record was removed between the two looks.
      if (there === null) continue;
      const expired = now >= there.since + ANSWER_KEPT_FOR;
      if (!expired) {
        if (there.fingerprint !== fingerprint) return { kind: 'different' };
        if (there.state === 'gone') return { kind: 'erased' };
        if (there.state === 'done') {
          const answer = await openedAgain(this.keys, async (isAgain) => {
            const found = isAgain ? await this.mongo.answer(this.records.findOne({ _id })) : there;
            return found?.state === 'done' ? this.answerOf(found) : undefined;
          });
          // It was removed or erased between the two looks.
          if (answer === undefined) continue;
          return { kind: 'kept', answer };
        }
        if (there.state === 'running' && now < there.since + RUNNING_FREES_AFTER) return { kind: 'running' };
      }
      const command = expired ? commandId : there.command;
      const next = { ...fresh, command, turn: there.turn + 1, changed: this.marks.next() };
      const { state, turn, since } = there;
      const { matchedCount } = await this.mongo.answer(this.records.replaceOne({ _id, state, turn, since }, next));
      if (matchedCount === 1) return { kind: 'run', commandId: command };
    }
  }

  async renew(record: RecordKey, now: Instant): Promise<void> {
    const running = { _id: recordName(this.keyring, record), state: 'running' } as const;
    await this.mongo.answer(this.records.updateOne(running, { $set: { since: now, changed: this.marks.next() } }));
  }

  /** The first answer stays: the answer of a slow first try that ends after its successor is not kept. */
  async keep(record: RecordKey, answer: Buffer, now: Instant, person?: string): Promise<void> {
    const unanswered = {
      _id: recordName(this.keyring, record),
      state: { $nin: ['done' as const, 'gone' as const] },
    };
    const shows = person === undefined ? {} : { person: shownPersonName(this.keyring, person) };
    let before: Binary | undefined;
    await this.keys.sealing(async () => {
      const { key, bytes } = this.seal.seal(answer);
      const sealed = { answer: new Binary(bytes), key, changed: this.marks.next() };
      const done = { state: 'done', ...sealed, since: now, ...shows } as const;
      const { matchedCount } = await this.mongo.answer(this.records.updateOne(unanswered, { $set: done }));
      // A slow first try may have kept it under a key that seals no more.
      if (matchedCount === 0 && before !== undefined)
        await this.mongo.answer(this.records.updateOne({ _id: unanswered._id, answer: before }, { $set: sealed }));
      before = sealed.answer;
    });
    // Whoever destroys the key looks for the answers afterwards: they find this one, or this finds that the key is destroyed.
    if (person === undefined) return;
    const destroyed = await this.mongo.answer(this.personKeys.findOne({ _id: person, wrapped: null }));
    if (destroyed !== null) await this.erase(person);
  }

  async erase(person: string): Promise<number> {
    const shown = { person: shownPersonName(this.keyring, person), state: 'done' } as const;
    const { modifiedCount } = await this.mongo.answer(
      this.records.updateMany(shown, { $set: { state: 'gone', answer: null, changed: this.marks.next() } }),
    );
    return modifiedCount;
  }

  async free(record: RecordKey): Promise<void> {
    const running = { _id: recordName(this.keyring, record), state: 'running' } as const;
    await this.mongo.answer(this.records.updateOne(running, { $set: { state: 'free', changed: this.marks.next() } }));
  }

  /** MongoDb owns the connection and closes it. */
  async close(): Promise<void> {}

  private answerOf({ answer, key = 0 }: RecordDocument): Buffer {
    return this.seal.open({ key, bytes: answer?.value() ?? Buffer.alloc(0) });
  }

  /** The existing record; undefined if this is the first one, null if the other has gone again. */
  private async insert(document: RecordDocument): Promise<RecordDocument | null | undefined> {
    try {
      await this.mongo.answer(this.records.insertOne(document));
      return undefined;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return this.mongo.answer(this.records.findOne({ _id: document._id }));
    }
  }

  /**
   * Nobody waits for it, and the next sweep removes what it leaves. It goes by our time, which may have been moved, not the
   * server's.
   */
  private sweep(now: Instant): void {
    this.indexed ??= Promise.all([
      this.records.createIndex({ since: 1 }),
      this.records.createIndex({ person: 1 }, { sparse: true }, {}),
    ]);
    void this.indexed
      .then(() => this.records.deleteMany({ since: { $lte: now - ANSWER_KEPT_FOR } }))
      .catch(() => undefined);
  }
}
