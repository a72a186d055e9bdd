import { Unavailable, type LeaseHolder, type LeaseRead, type Time, findingOf, type Finding } from '#eventsourcing';
import type { HeldLease } from './log-guard.js';

/** In milliseconds. */
export interface LeaseTimes {
  /** The time between two writes of a holder. */
  readonly beat: number;
  /** After this much silence a holder asks before it decides anything more. */
  readonly lost: number;
  /**
   * After this much silence of the holder another process takes over. It is longer than `lost`, so that the holder asks
   * before.
   */
  readonly taken: number;
  /** The time between two looks of those who wait. */
  readonly look: number;
}

/** The lease as its holder reads and writes it. `NotedLease` makes one from the log's `LeaseRegister`. */
export interface OwnLeaseRegister {
  /** @throws Unavailable */
  readLease(): Promise<Pick<LeaseRead, 'revision' | 'holder' | 'lost'>>;
  /**
   * Writes another holder, or the same one again, if nobody has written since.
   * @returns whether it was written
   * @throws Unavailable
   */
  writeLease(revision: number, holder: LeaseHolder | undefined): Promise<boolean>;
  /** See `LeaseRegister`. */
  moveLease?(revision: number): Promise<number | undefined>;
}

/** When something was sent: by a clock that stands still while the machine sleeps, and by one that does not. */
interface Sent {
  readonly running: number;
  readonly wall: number;
}

const TIMES: LeaseTimes = { beat: 5_000, lost: 10_000, taken: 15_000, look: 500 };

/** Another process of this installation decides on the log. */
export class LeaseTaken extends Error {
  override name = 'LeaseTaken';
  constructor({ words }: LeaseHolder) {
    super(
      `another Holdfast of this installation runs on the event log (${words}): stop it first. A copied data folder is not a ` +
        'second service. To run several processes, let APIs and workers share EVENTSTORE_URL, MONGODB_URL and REDIS_URL',
    );
  }
}

/**
 * The right of one installation's processes to decide on their log: one process that does everything, or any number that
 * share the work. Each process measures silence by its own clock only. A log that cannot be reached ends nothing: the
 * process asks for its right again when the log is back. A process that was silent, or whose clock has leapt, first makes sure
 * that its clock may be trusted.
 */
export class LogLease implements HeldLease {
  #revision: number;
  /** The revision of the first write. A note before it is from an older copy of the log. */
  readonly #taken: number;
  /** When the last confirmed write was sent. */
  #confirmed: Sent;
  /** Why this process must not decide any more. */
  #lost: Finding | undefined;
  #asking: Promise<void> | undefined;
  /** The lost note that this process met after it was silent, and since when. */
  #unfound: { readonly revision: number; readonly since: number } | undefined;
  readonly #stop = new AbortController();
  readonly #beating: Promise<void>;

  private constructor(
    private readonly register: OwnLeaseRegister,
    private readonly me: LeaseHolder,
    private readonly time: Time,
    private readonly times: LeaseTimes,
    private readonly trust: () => Promise<void>,
    revision: number,
    sent: Sent,
  ) {
    this.#revision = revision;
    this.#taken = revision;
    this.#confirmed = sent;
    this.#beating = this.#beat();
  }

  /**
   * Takes the lease, or joins those that share it. It does not wait for a holder that lives.
   * @param waits called with what it waits for
   * @param trust makes sure that this machine’s clock may be trusted, and rejects with Unavailable if not
   * @throws LeaseTaken
   */
  static async take(
    register: OwnLeaseRegister,
    me: LeaseHolder,
    waits: (words: string) => void,
    time: Time,
    times: LeaseTimes = TIMES,
    trust = async (): Promise<void> => undefined,
  ): Promise<LogLease> {
    for (;;) {
      const { revision: found, sent, lost } = await LogLease.untilFree(register, me, waits, time, times);
      const revision = lost ? await register.moveLease?.(found) : found;
      if (revision === undefined || !(await register.writeLease(revision, me))) continue;
      return new LogLease(register, me, time, times, trust, revision + 1, sent);
    }
  }

  /**
   * Waits until this process could take or join the lease, and writes nothing. A note that is lost is one of somebody unknown.
   * @returns the note, and when it was asked for
   * @throws LeaseTaken
   */
  static async untilFree(
    register: Pick<OwnLeaseRegister, 'readLease'>,
    me: LeaseHolder,
    waits: (words: string) => void,
    time: Time,
    times: LeaseTimes = TIMES,
  ): Promise<{ readonly revision: number; readonly sent: Sent; readonly lost: boolean }> {
    let seen: { readonly revision: number; readonly since: number } | undefined;
    for (;;) {
      const sent = now(time);
      const { revision, holder, lost = false } = await register.readLease();
      if (holder === undefined ? !lost : isMine(holder, me)) return { revision, sent, lost };
      if (seen !== undefined && seen.revision !== revision) {
        if (holder !== undefined) throw new LeaseTaken(holder);
        seen = undefined;
      }
      if (seen !== undefined && sent.running - seen.since >= times.taken) return { revision, sent, lost };
      if (seen === undefined) {
        seen = { revision, since: sent.running };
        waits(
          `waits up to ${times.taken / 1_000} s to see whether another process still uses the event log ` +
            `(${holder?.words ?? 'the log does not find which one did last'})`,
        );
      }
      await time.pause(times.look);
    }
  }

  get held(): boolean {
    if (this.#lost !== undefined) return false;
    const { running, wall } = this.#confirmed;
    return Math.max(this.time.monotonic() - running, Math.abs(this.time.wall() - wall)) < this.times.lost;
  }

  async hold(): Promise<Finding | undefined> {
    if (this.#lost === undefined) await this.#ask();
    return this.#lost;
  }

  /**
   * Reads the note before anything is decided over a new connection, and writes nothing: another process may have the lease
   * meanwhile. A note that the new server does not find is moved by the next beat.
   * @throws Unavailable
   */
  async look(): Promise<Finding | undefined> {
    const { revision, holder } = await this.register.readLease();
    if (holder !== undefined) this.#meets(holder, revision);
    return this.#lost;
  }

  /** Gives the lease back if it belongs to this process alone. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#beating;
    await this.#asking?.catch(() => undefined);
    // If another process has taken it, this writes nothing.
    if (this.me.mode === 'shared') return;
    await this.register.writeLease(this.#revision, undefined).catch(() => undefined);
  }

  async #beat(): Promise<void> {
    const { signal } = this.#stop;
    const over = (): boolean => signal.aborted || this.#lost !== undefined;
    while (!over()) {
      await this.time.pause(this.times.beat, { signal });
      if (!over()) await this.#ask().catch(() => undefined);
    }
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#renew().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** A process that started at this one's place found the folder free, so this process should have ended. */
  #isHeldBy({ mode, process }: LeaseHolder): boolean {
    return mode === this.me.mode && (mode === 'shared' || process === this.me.process);
  }

  async #renew(): Promise<void> {
    const { held } = this;
    if (!held) await this.trust();
    for (;;) {
      const sent = now(this.time);
      const { revision: found, holder, lost = false } = await this.register.readLease();
      const revision = lost ? await this.#moved(found, held, sent) : found;
      if (revision === undefined) continue;
      if (holder !== undefined && this.#meets(holder, revision)) return;
      // Of the processes that share the lease, one writes for all.
      const others = held && this.me.mode === 'shared' && revision !== this.#revision && holder !== undefined;
      if (others || (await this.register.writeLease(revision, this.me))) {
        this.#revision = others ? revision : revision + 1;
        this.#confirmed = sent;
        return;
      }
      if (this.#stop.signal.aborted) throw new Unavailable('the service is stopping');
    }
  }

  /** @returns whether another process has the lease @throws Unavailable if its note is from before this process took it */
  #meets(holder: LeaseHolder, revision: number): boolean {
    if (this.#isHeldBy(holder)) return false;
    if (revision < this.#taken) throw new Unavailable('the event log may be another one');
    this.#lost = findingOf(
      'lease',
      `Another Holdfast of this installation has taken over the event log (${holder.words}), because this one did not renew its lease in time: ` +
        'stop one of them and start again.',
      [holder.process],
    );
    return true;
  }

  /**
   * Moves a lost note: at once if this process certainly has the lease. Otherwise somebody unknown may have taken it.
   * @returns the revision to write at; undefined if somebody else has moved it
   * @throws Unavailable until an unknown holder would have lost it
   */
  async #moved(revision: number, held: boolean, { running }: Sent): Promise<number | undefined> {
    if (this.#unfound?.revision !== revision) this.#unfound = { revision, since: running };
    if (!held && running - this.#unfound.since < this.times.taken)
      throw new Unavailable('the event log does not find which process may decide');
    return this.register.moveLease?.(revision);
  }
}

/**
 * Whether the holder lets this process in: they share the lease, or the holder was at this process's place and has ended.
 */
function isMine(holder: LeaseHolder, me: LeaseHolder): boolean {
  if (holder.mode !== me.mode) return false;
  return me.mode === 'shared' || holder.process === me.process || holder.place === me.place;
}

function now(time: Time): Sent {
  return { running: time.monotonic(), wall: time.wall() };
}
