import { type Begun, type IdempotencyRecords, type Keyring, type RecordKey, recordName } from '#eventsourcing';
import type { Instant } from '#kernel';
import type { StateLink } from './state-link.js';

/** Records of repeatable requests in state.db. Credential and key stand there as one keyed hash. */
export class EmbeddedIdempotencyRecords implements IdempotencyRecords {
  constructor(
    private readonly link: StateLink,
    private readonly keyring: Keyring,
  ) {}

  async begin(record: RecordKey, fingerprint: string, commandId: string, now: Instant): Promise<Begun> {
    const begun = await this.link.request({
      op: 'begin',
      record: recordName(this.keyring, record),
      fingerprint,
      commandId,
      now,
    });
    if (begun.kind !== 'kept') return begun;
    const { buffer, byteOffset, byteLength } = begun.answer;
    return { kind: 'kept', answer: Buffer.from(buffer, byteOffset, byteLength) };
  }

  async renew(record: RecordKey, now: Instant): Promise<void> {
    await this.link.request({ op: 'renew', record: recordName(this.keyring, record), now });
  }

  async keep(record: RecordKey, answer: Buffer, now: Instant): Promise<void> {
    // Copied: a Buffer lies in a pool, and would take all of it along to the other thread.
    await this.link.request({
      op: 'keep',
      record: recordName(this.keyring, record),
      answer: new Uint8Array(answer),
      now,
    });
  }

  async free(record: RecordKey): Promise<void> {
    await this.link.request({ op: 'free', record: recordName(this.keyring, record) });
  }

  /** The file belongs to the EmbeddedState, which closes it. */
  async close(): Promise<void> {}
}
