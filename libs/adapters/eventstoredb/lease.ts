import { thisMachine } from '#adapters/machine';
import {
  type LeaseHolder,
  type LeaseNote,
  type LeaseRead,
  type LeaseRegister,
  NO_STREAM,
  Unavailable,
} from '#eventsourcing';
import { changeRecord, type StoredRecord } from './identity.js';
import { lastNote, leaseStream } from './lease-notes.js';
import { reasonOf } from './reason.js';
import type { Server } from './server.js';

/** Metadata hides earlier metadata, so there is one event. */
const MANY = 4_000;
/** Of revisions: notes at a later place have higher ones. */
const PLACE = 2 ** 40;

interface OnDisk {
  readonly holder?: LeaseHolder;
  /** In digits. */
  readonly marked: string;
}

/**
 * Keeps the note as the metadata of a stream without events: the server deletes earlier notes, so they do not accumulate. But
 * a node that got its data as scavenged chunks does not find such a note. Then the record names the next stream for it, by an
 * event that only one process can write.
 */
export class ServerLease implements LeaseRegister {
  /** The place that this process has named, and not written to yet. */
  #named: number | undefined;
  /** The record at the last read. */
  #record: StoredRecord | undefined;

  constructor(
    private readonly server: Pick<Server, 'append' | 'readStream' | 'readBack'>,
    private readonly prefix: string,
    /** Reads the log's record. */
    private readonly record: () => Promise<StoredRecord>,
    private readonly machine = thisMachine,
  ) {}

  readLease(): Promise<LeaseRead> {
    return this.#available(async () => {
      this.#record = await this.record();
      const { lease: place } = this.#record;
      if (place === undefined) return { revision: NO_STREAM, holder: undefined, marked: 0n };
      const found = (await this.server.readStream(leaseStream(this.prefix, place), 0, MANY))?.at(-1);
      const revision = (place - 1) * PLACE + (found?.revision ?? NO_STREAM);
      if (found !== undefined) return { ...contentOf(found), revision };
      const last = await lastNote(this.server, this.prefix);
      const marked = last === undefined ? 0n : contentOf(last.event).marked;
      return { revision, holder: undefined, marked, lost: place !== this.#named };
    });
  }

  writeLease(revision: number, { holder, marked }: LeaseNote): Promise<boolean> {
    return this.#available(async () => {
      const record = this.#record ?? (await this.record());
      const place = placeOf(revision);
      if (record.lease === undefined ? !(await this.#name(record, place)) : record.lease !== place) return false;
      const expected = revision - (place - 1) * PLACE;
      // A node may not know the stream, though it was written: such an append would make it unreadable for ever.
      if (expected === NO_STREAM && this.#named !== place) return false;
      // If the outcome stays unknown, the note counts as lost.
      this.#named = undefined;
      const data = { ...(holder && { holder }), marked: marked.toString() } satisfies OnDisk;
      const event = { id: this.machine.randomness.uuid(), type: '$metadata', data };
      const answer = await this.server.append(leaseStream(this.prefix, place), expected, [event]);
      return answer.kind === 'written';
    });
  }

  moveLease(revision: number): Promise<number | undefined> {
    return this.#available(async () => {
      const record = this.#record ?? (await this.record());
      const next = placeOf(revision) + 1;
      const isLast = record.lease === next - 1;
      return isLast && (await this.#name(record, next)) ? (next - 1) * PLACE + NO_STREAM : undefined;
    });
  }

  /** Names the place of the note, unless the record has changed since. */
  async #name(record: StoredRecord, lease: number): Promise<boolean> {
    const isNamed = await changeRecord(this.server, this.prefix, record, { lease }, this.machine);
    if (isNamed) [this.#named, this.#record] = [lease, undefined];
    return isNamed;
  }

  async #available<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      throw new Unavailable(`the lease of the event log cannot be used: ${reasonOf(error)}`);
    }
  }
}

function contentOf({ data }: { readonly data: unknown }): LeaseNote {
  const { holder, marked } = data as OnDisk;
  return { holder, marked: BigInt(marked) };
}

/** The place that a revision belongs to. */
function placeOf(revision: number): number {
  return Math.floor((revision + 1) / PLACE) + 1;
}
