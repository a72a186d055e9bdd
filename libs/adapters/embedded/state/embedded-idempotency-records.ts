import {
  AnswerSeal,
  type Begun,
  type IdempotencyRecords,
  type Keyring,
  type RecordKey,
  recordName,
  shownPersonName,
} from '#eventsourcing';
import type { Instant } from '#kernel';
import { forThread } from './messages.js';
import type { StateLink } from './state-link.js';

/** Records of repeatable requests in state.db: credential and key as one keyed hash, the answer sealed. */
export class EmbeddedIdempotencyRecords implements IdempotencyRecords {
  private readonly seal: AnswerSeal;

  constructor(
    private readonly link: StateLink,
    private readonly keyring: Keyring,
  ) {
    this.seal = new AnswerSeal(keyring);
  }

  async begin(record: RecordKey, fingerprint: string, commandId: string, now: Instant): Promise<Begun> {
    const begun = await this.link.request({
      op: 'begin',
      record: recordName(this.keyring, record),
      fingerprint,
      commandId,
      now,
    });
    if (begun.kind !== 'kept') return begun;
    return { kind: 'kept', answer: this.seal.open(begun.answer) };
  }

  async renew(record: RecordKey, now: Instant): Promise<void> {
    await this.link.request({ op: 'renew', record: recordName(this.keyring, record), now });
  }

  async keep(record: RecordKey, answer: Buffer, now: Instant, person?: string): Promise<void> {
    await this.link.request({
      op: 'keep',
      record: recordName(this.keyring, record),
      answer: forThread(this.seal.seal(answer)),
      now,
      shows: person === undefined ? null : { key: person, name: shownPersonName(this.keyring, person) },
    });
  }

  erase(person: string): Promise<number> {
    return this.link.request({ op: 'erase-answers', person: shownPersonName(this.keyring, person) });
  }

  async free(record: RecordKey): Promise<void> {
    await this.link.request({ op: 'free', record: recordName(this.keyring, record) });
  }

  /** EmbeddedState owns the file and closes it. */
  async close(): Promise<void> {}
}
