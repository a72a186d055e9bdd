import type { Position, Recorded } from '#kernel';
import { Unavailable } from '../errors.js';
import { type Append, AppendOutcomeUnknown, type AppendResult, type Batch, type EventLog } from '../ports/event-log.js';
import type { LogGuard } from './log-guard.js';
import type { Mark } from './log-mark.js';

/** An append that waits so long for its answer does not get through, in milliseconds. */
const STALLED_AFTER = 5_000;

/**
 * The log as the service uses it: nothing is appended while the guard refuses, an answered append moves the mark on, and a
 * call that broke makes the guard doubt.
 */
export class WatchedLog implements EventLog {
  readonly identity: string;
  readonly #underWay = new Set<{ readonly since: number }>();
  #failing = false;

  constructor(
    private readonly log: EventLog,
    private readonly guard: Pick<LogGuard, 'open' | 'passed' | 'doubt'>,
    private readonly saw: (mark: Mark) => void,
  ) {
    this.identity = log.identity;
  }

  /** Whether appends get no answer: the last one met none, or one waits for too long. */
  get stalled(): boolean {
    const oldest = Math.min(...[...this.#underWay].map(({ since }) => since));
    return this.#failing || performance.now() - oldest > STALLED_AFTER;
  }

  async append(list: readonly [Append, ...Append[]]): Promise<readonly AppendResult[]> {
    if (!this.guard.open) await this.guard.passed(list[0].stream);
    const sent = { since: performance.now() };
    this.#underWay.add(sent);
    try {
      const results = await this.log.append(list);
      this.#failing = false;
      results.forEach((result, index) => this.#took(result, list[index]));
      return results;
    } catch (error) {
      if (error instanceof AppendOutcomeUnknown) {
        this.#failing = true;
        this.guard.doubt();
      }
      throw error;
    } finally {
      this.#underWay.delete(sent);
    }
  }

  readStream(stream: string, from: number, max: number): Promise<readonly Recorded[]> {
    return this.#asked(this.log.readStream(stream, from, max));
  }

  head(): Promise<Position> {
    return this.#asked(this.log.head());
  }

  eventAt(position: Position): Promise<Recorded | undefined> {
    return this.#asked(this.log.eventAt(position));
  }

  subscribe(after: Position, max: number, signal: AbortSignal): AsyncIterable<Batch> {
    return this.log.subscribe(after, max, signal);
  }

  close(): Promise<void> {
    return this.log.close();
  }

  #took(result: AppendResult, append: Append | undefined): void {
    if (result.kind === 'unknown') this.guard.doubt();
    const id = append?.events.at(-1)?.id;
    if (result.kind !== 'written' || append === undefined || id === undefined) return;
    const { position, revision } = result;
    this.saw({ identity: this.identity, position, stream: append.stream, revision, id });
  }

  async #asked<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof Unavailable) this.guard.doubt();
      throw error;
    }
  }
}
