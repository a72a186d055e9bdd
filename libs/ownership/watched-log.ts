import {
  Unavailable,
  type Append,
  AppendOutcomeUnknown,
  type AppendProgress,
  AppendRefused,
  type AppendResult,
  type Batch,
  type EventLog,
  LogUnusable,
  type Page,
  type OwnedLog,
  type Time,
  gapFinding,
  unreadableFinding,
} from '#eventsourcing';
import type { Position, Recorded } from '#kernel';
import type { LogGuard } from './log-guard.js';
import type { Mark } from './log-mark.js';

/** An append that waits this long for its answer counts as stalled, in milliseconds. */
const STALLED_AFTER = 5_000;
/** Milliseconds between two probes whether appends are answered again. */
const PROBE_EVERY = 500;
/** Milliseconds between two questions whether an append that was refused would be taken now, and after one about its size. */
const REFUSED_ASKED_EVERY = 1_000;
const SIZE_ASKED_EVERY = 10_000;
/** The most streams with refused appends that are remembered. */
const MOST_REFUSED = 100;
/** The shortest time between two checks of the log that callers cause with positions which it lacks, in milliseconds. */
const CHECK_EVERY = 1_000;

/** A list under way. */
interface Sent {
  /** Since when it waits for an answer; undefined: it waits for its turn. */
  since: number | undefined;
}

/**
 * The log as the service uses it. It appends nothing while the guard refuses, moves the mark when an append is answered,
 * makes the guard doubt when a call breaks, and reads no stream with a gap.
 */
export class WatchedLog implements EventLog {
  readonly identity: string;
  readonly countsBytes: boolean;
  readonly #underWay = new Set<Sent>();
  #failing = false;
  #probing = false;
  #closed = false;
  #checked = -Infinity;
  /** Appends that the server refuses, by stream. */
  readonly #refused = new Map<string, AppendRefused>();
  #asking = false;

  constructor(
    private readonly log: EventLog & Pick<OwnedLog, 'probe'>,
    private readonly guard: Pick<LogGuard, 'open' | 'refuses' | 'passed' | 'doubt' | 'heed'>,
    private readonly saw: (mark: Mark) => void,
    private readonly time: Time,
  ) {
    this.identity = log.identity;
    this.countsBytes = log.countsBytes;
  }

  /** Whether appends get no answer: the last one got none, or one waits too long. */
  get stalled(): boolean {
    const oldest = Math.min(...[...this.#underWay].map(({ since = Infinity }) => since));
    return this.#failing || this.time.monotonic() - oldest > STALLED_AFTER;
  }

  async append(list: readonly [Append, ...Append[]], progress?: AppendProgress): Promise<readonly AppendResult[]> {
    const [{ stream }] = list;
    // The loop asked before it decided; but a repeat comes later, and must end if its stream was cut meanwhile.
    if (!this.guard.open || this.guard.refuses(stream)) await this.guard.passed(stream);
    const { time } = this;
    const sent: Sent = { since: time.monotonic() };
    this.#underWay.add(sent);
    try {
      const results = await this.log.append(list, {
        waits() {
          sent.since = undefined;
          progress?.waits();
        },
        isWanted: () => progress?.isWanted() ?? true,
        begins() {
          sent.since = time.monotonic();
          progress?.begins();
        },
        decided: (result) => progress?.decided(result),
        answered() {
          sent.since = time.monotonic();
          progress?.answered();
        },
      });
      // A list is answered when its last append is, or is given up: what was written first says nothing about now.
      if (results.some(({ kind }) => kind === 'unknown')) this.#noAnswer();
      else this.#failing = false;
      results.forEach((result, index) => this.#noteWritten(result, list[index]));
      for (const result of results) if (result.kind === 'refused') this.#noteRefused(result.refusal);
      return results;
    } catch (error) {
      if (error instanceof AppendOutcomeUnknown) this.#noAnswer();
      if (error instanceof AppendRefused) this.#noteRefused(error);
      throw error;
    } finally {
      this.#underWay.delete(sent);
    }
  }

  /**
   * @throws Unavailable also for a stream with a gap, because a fold would take the rest for all of it; and for a stream
   * that cannot be read
   */
  async readStream(stream: string, from: number, max: number): Promise<Page> {
    const events = await this.#refuseUnreadable(stream, this.#doubtUnavailable(this.log.readStream(stream, from, max)));
    await this.guard.heed(gapFinding(stream, from, events), stream);
    // An append whose answer was lost becomes known only by this read.
    const last = events.at(-1);
    if (last !== undefined && this.guard.open) this.#noteSeen(last);
    return events;
  }

  async isOthers(stream: string): Promise<boolean> {
    return this.log.isOthers === undefined ? false : this.#doubtUnavailable(this.log.isOthers(stream));
  }

  head(): Promise<Position> {
    return this.#doubtUnavailable(this.log.head());
  }

  /**
   * Whether the log reaches this position, which a caller has sent. If it ends before, an older copy may have been put back:
   * then the guard checks that before the caller gets a "no".
   * @throws Unavailable if the log cannot be asked, or is refused
   */
  async reaches(position: Position): Promise<boolean> {
    if (position <= (await this.head())) return true;
    if (this.time.monotonic() - this.#checked > CHECK_EVERY) {
      this.#checked = this.time.monotonic();
      this.guard.doubt();
    }
    await this.guard.passed();
    return position <= (await this.head());
  }

  eventAt(position: Position): Promise<Recorded | undefined> {
    return this.#doubtUnavailable(this.log.eventAt(position));
  }

  subscribe(after: Position, max: number, signal: AbortSignal): AsyncIterable<Batch> {
    return this.log.subscribe(after, max, signal);
  }

  /** What the log's server refuses to write, in words: each stream until the same would be written now. */
  get refusals(): readonly string[] {
    return [...this.#refused.values()].map(({ message }) => message);
  }

  /** Stops the probes. */
  rest(): void {
    this.#closed = true;
  }

  close(): Promise<void> {
    this.rest();
    return this.log.close();
  }

  /** An append got no answer: the server may now be another one, or have another log. */
  #noAnswer(): void {
    this.#failing = true;
    this.guard.doubt();
    void this.#probe();
  }

  /** Probes the log until it answers: the service says that it is not ready, so nobody else may append meanwhile. */
  async #probe(): Promise<void> {
    if (this.#probing) return;
    this.#probing = true;
    while (this.#failing && !this.#closed && this.log.probe !== undefined) {
      await this.time.pause(PROBE_EVERY, { ref: false });
      try {
        await this.log.probe();
        this.#failing = false;
      } catch {
        // It does not answer yet.
      }
    }
    this.#probing = false;
  }

  #noteRefused(refusal: AppendRefused): void {
    if (this.#refused.size < MOST_REFUSED || this.#refused.has(refusal.stream))
      this.#refused.set(refusal.stream, refusal);
    void this.#askRefused();
  }

  /** Asks the log about what it has refused, until it would take it: health names it so long, whoever else appends meanwhile. */
  async #askRefused(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    while (this.#refused.size > 0 && !this.#closed && this.log.probe !== undefined) {
      const isOfSize = [...this.#refused.values()].every(({ bytes }) => bytes !== undefined);
      await this.time.pause(isOfSize ? SIZE_ASKED_EVERY : REFUSED_ASKED_EVERY, { ref: false });
      for (const [stream, refusal] of this.#refused) {
        try {
          await this.log.probe(refusal);
          this.#refused.delete(stream);
        } catch {
          // It is still refused, or there is no answer.
        }
      }
    }
    this.#asking = false;
  }

  #noteWritten(result: AppendResult, append: Append | undefined): void {
    const id = append?.events.at(-1)?.id;
    if (result.kind !== 'written' || append === undefined || id === undefined) return;
    this.#noteSeen({ ...result, stream: append.stream, id });
  }

  #noteSeen({ position, stream, revision, id }: Pick<Recorded, 'position' | 'stream' | 'revision' | 'id'>): void {
    this.saw({ identity: this.identity, position, stream, revision, id });
  }

  async #refuseUnreadable<T>(stream: string, answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof LogUnusable) await this.guard.heed(unreadableFinding(stream, error.message), stream);
      throw error;
    }
  }

  async #doubtUnavailable<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof Unavailable) this.guard.doubt();
      throw error;
    }
  }
}
