import { Unavailable, type LogConnection, type Time, type Finding } from '#eventsourcing';
import { CLOCKS_DIFFER, serverNamed, wrongClock } from './clock-watch.js';
import { leadOfServer } from './server-clock.js';

/** Milliseconds between two comparisons while the clocks agree, and while this machine’s is not trusted. */
const ASKED_EVERY = 60_000;
const ASKED_AGAIN_EVERY = 1_000;
/** The shortest time between two comparisons that events cause, in milliseconds. */
const DOUBTED_EVERY = 5_000;

/** Whom the judge tells. */
export interface ClockNotices {
  /** This machine’s clock is not trusted from now on. */
  readonly refused: (finding: Finding) => void;
  /** It is trusted again. */
  readonly trusted: () => void;
  /** A server’s clock is wrong, or right again. */
  readonly server: (words: string) => void;
}

/**
 * Judges whose clock is wrong, if this machine’s and that of the log’s server differ; all who compare clocks go by it. A clock
 * that agreed before, and has not leapt against the one that counts on, is right: then the server is wrong, and decisions go on.
 * Otherwise this machine’s clock is not trusted, and nothing is decided until the two agree again.
 */
export class ClockJudge {
  #finding: Finding | undefined;
  /** How far the machine’s clock was from the one that counts on when it last agreed with a server’s. */
  #agreed: number | undefined;
  /** The server whose clock is wrong. */
  #wrong: string | undefined;
  #asking: Promise<Finding | undefined> | undefined;
  #doubtedAt = -Infinity;
  #resting = new AbortController();
  #closed = false;
  #watching: Promise<void> | undefined;

  /** @param connect to the server that appends go to; undefined if the log has no clock of its own */
  constructor(
    private readonly connect: () => Promise<LogConnection | undefined>,
    private readonly notices: ClockNotices,
    private readonly time: Time,
  ) {}

  /** What speaks against this machine’s clock now. */
  get finding(): Finding | undefined {
    return this.#finding;
  }

  /** The server whose clock is wrong, while this machine’s is known to be right. */
  get wrongServer(): string | undefined {
    return this.#wrong;
  }

  /** Compares the clocks over a new connection. @throws Unavailable if the server does not say */
  ask(): Promise<Finding | undefined> {
    this.#asking ??= this.connect()
      .then((connection) => this.compare(connection))
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }

  /** Compares the clocks over this connection. @throws Unavailable if the server does not say */
  async compare(connection: LogConnection | undefined): Promise<Finding | undefined> {
    if (connection?.isPast === undefined) return undefined;
    const isPast = connection.isPast.bind(connection);
    const lead = await leadOfServer(isPast, this.time);
    this.#judge(lead, connection.server);
    return this.#finding;
  }

  /**
   * Makes sure that this machine’s clock may be trusted, after it may have leapt.
   * @throws Unavailable if it may not, or if nobody says so
   */
  async trust(): Promise<void> {
    if ((await this.ask()) !== undefined) throw new Unavailable(NOT_TRUSTED, 5);
  }

  /** Compares the clocks soon, because an event contradicts this machine’s. */
  doubt(): void {
    const now = this.time.monotonic();
    if (now - this.#doubtedAt < DOUBTED_EVERY) return;
    this.#doubtedAt = now;
    // No answer is no finding.
    this.ask().catch(() => undefined);
  }

  /** Compares the clocks now and then; while this machine’s is not trusted, again and again. */
  watch(): void {
    this.#watching ??= this.#watch();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#resting.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    while (!this.#closed) {
      this.#resting = new AbortController();
      const every = this.#finding === undefined ? ASKED_EVERY : ASKED_AGAIN_EVERY;
      await this.time.pause(every, { signal: this.#resting.signal });
      await this.ask().catch(() => undefined);
    }
  }

  #judge(lead: number | undefined, server: string | undefined): void {
    const apart = this.time.wall() - this.time.monotonic();
    if (lead === undefined) {
      this.#agreed = apart;
      if (this.#wrong !== undefined) this.notices.server(`${serverNamed(server)} and this machine’s clock agree again`);
      this.#wrong = undefined;
      this.#set(undefined);
      return;
    }
    const leapt = this.#agreed === undefined ? undefined : Math.abs(apart - this.#agreed);
    if (leapt !== undefined && leapt < CLOCKS_DIFFER) {
      this.#set(undefined);
      if (this.#wrong === server) return;
      this.#wrong = server;
      this.notices.server(
        `the clock of ${serverNamed(server)} is ${seconds(lead)} s ${lead > 0 ? 'ahead' : 'behind'}: this machine’s agreed before ` +
          'and has not leapt. Sales go on; correct the clock of the server',
      );
      return;
    }
    this.#set(wrongClock(-lead, server, leapt === undefined ? 'nobody knows' : 'it has leapt'));
  }

  #set(finding: Finding | undefined): void {
    const before = this.#finding;
    this.#finding = finding;
    if (finding?.code === before?.code) return;
    if (finding === undefined) this.notices.trusted();
    else this.notices.refused(finding);
    if (before === undefined) this.#resting.abort();
  }
}

/** For callers, while this machine’s clock is not trusted. */
export const NOT_TRUSTED = 'this machine’s clock contradicts that of the event log’s server: see /health/ready';

const seconds = (milliseconds: number): number => Math.round(Math.abs(milliseconds) / 1_000);
