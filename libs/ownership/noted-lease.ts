import { Unavailable, type LeaseHolder, type LeaseRegister } from '#eventsourcing';
import type { Position } from '#kernel';
import type { OwnLeaseRegister } from './log-lease.js';
import type { LogMark, Mark } from './log-mark.js';

/**
 * Writes the lease as a process of the log's owner: with it goes how far the key store knows the log, so that a start can
 * see that the key store is older than the log.
 */
export class NotedLease implements OwnLeaseRegister {
  /** The furthest position read from a lease. */
  #noted: Position = 0n;

  constructor(
    private readonly register: LeaseRegister,
    private readonly options: {
      readonly mark: Pick<LogMark, 'met'>;
      /** Whether it is in doubt whose log it is: nothing is written to it then. */
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
    this.#refuseInDoubt();
    return this.register.writeLease(revision, { holder, marked });
  }

  async moveLease(revision: number): Promise<number | undefined> {
    this.#refuseInDoubt();
    return this.register.moveLease?.(revision);
  }

  /**
   * Notes the position that the last beat has not noted, whoever holds the lease, because nobody else may be left to do it. A note
   * that is lost stays so: its holder is unknown, and only who takes the lease may move it.
   * @throws Unavailable
   */
  async settle(): Promise<void> {
    for (;;) {
      const { revision, holder, marked, lost = false } = await this.readLease();
      if (lost) return;
      if (this.#furthest() === marked || (await this.writeLease(revision, holder))) return;
    }
  }

  #refuseInDoubt(): void {
    if (this.options.doubtful()) throw new Unavailable('whether the event log is whole and ours is being checked');
  }

  #furthest(): Position {
    const { position = 0n } = this.options.mark.met ?? {};
    return position > this.#noted ? position : this.#noted;
  }
}

/**
 * Whether a key store knows less of the log than at the last decision. A note beyond the log's end says nothing about the
 * key store: the log is older then, which its mark shows until an operator accepts that.
 * @param known called after the note was read; the other order would miss what became known meanwhile
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
