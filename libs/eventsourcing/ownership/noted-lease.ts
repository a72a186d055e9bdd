import type { Position } from '#kernel';
import { Unavailable } from '../errors.js';
import type { LeaseHolder, LeaseRegister } from '../ports/lease-register.js';
import type { HolderRegister } from './log-lease.js';
import type { LogMark, Mark } from './log-mark.js';

/**
 * The lease as a process of the log's owner writes it: how far the key store has come to know the log goes with it, so that
 * a start sees that a key store is older than the log.
 */
export class NotedLease implements HolderRegister {
  /** The furthest that was read of it. */
  #noted: Position = 0n;

  constructor(
    private readonly register: LeaseRegister,
    private readonly options: {
      readonly mark: Pick<LogMark, 'met'>;
      /** Whether it is in doubt whose the log is: then nothing is written to it. */
      readonly doubtful: () => boolean;
    },
  ) {}

  async readLease(): ReturnType<LeaseRegister['readLease']> {
    const note = await this.register.readLease();
    if (note.marked > this.#noted) this.#noted = note.marked;
    return note;
  }

  async writeLease(revision: number, holder: LeaseHolder | undefined): Promise<boolean> {
    const marked = this.#furthest();
    if (this.options.doubtful()) throw new Unavailable('the event log may be another one');
    return this.register.writeLease(revision, { holder, marked });
  }

  /** Notes what the last beat has not, whoever holds the lease: nobody may be left to do so. @throws Unavailable */
  async settle(): Promise<void> {
    for (;;) {
      const { revision, holder, marked } = await this.readLease();
      if (this.#furthest() === marked || (await this.writeLease(revision, holder))) return;
    }
  }

  #furthest(): Position {
    const { position = 0n } = this.options.mark.met ?? {};
    return position > this.#noted ? position : this.#noted;
  }
}

/**
 * Whether a key store knows less of the log than it did when the log was last decided on. A note of what the log itself does
 * not have says nothing of the key store: the log is older, which its mark tells, until an operator accepts that.
 * @param known asked after the note: the other way round it would lack what was known meanwhile
 */
export async function isOlderThanNoted(
  register: Pick<LeaseRegister, 'readLease'>,
  known: () => Promise<Mark | undefined>,
  head: () => Promise<Position>,
): Promise<boolean> {
  const { marked } = await register.readLease();
  if (((await known())?.position ?? 0n) >= marked) return false;
  return (await head()) >= marked;
}
