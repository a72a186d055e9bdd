import { thisMachine } from '#adapters/machine';
import type { Clock, DueRow, DueWork, Time, Timer, TriedWork, WorkTimers } from '#eventsourcing';
import { MINUTE, type Instant } from '#kernel';
import { Attempts } from './attempts.js';

/** The longest sleep in milliseconds: clocks are set, and laptops wake up. */
const LONGEST_SLEEP = 60_000;
/** Milliseconds until a list that could not be read is read again. */
const PAUSE = 1_000;
/** The longest time between two reads of a list: a notice may have been lost. */
const SWEEP_EVERY = MINUTE;
/** Rows that run at a time. */
const TOGETHER = 200;

interface List {
  readonly attempts: Attempts;
  /** The earliest known time since the last sweep began. */
  due: Instant;
  /** No sweep before this instant, after a failed one. */
  notBefore: Instant;
  sweep: Promise<void> | undefined;
}

export interface InProcessTimersOptions {
  /** Called when a list could not be read. It is read again after a pause. */
  readonly onError: (list: string, error: unknown) => void;
  /** False: no timer ever fires. That costs only punctuality. */
  readonly enabled?: boolean;
  /** This machine's by default. */
  readonly time?: Time;
}

/**
 * Timers of one process. For each list it keeps only the earliest time, however many rows there are: a sweep runs everything
 * that is due and finds the time of the next row.
 */
export class InProcessTimers implements WorkTimers {
  readonly wants = 'earliest';
  readonly #lists = new Map<string, List>();
  readonly #time: Time;
  readonly #onError: InProcessTimersOptions['onError'];
  #work: DueWork | undefined;
  #open: boolean;
  #timer: Timer | undefined;
  /** When the timer looks next, by the service's clock. */
  #looksAt: Instant = Infinity;

  constructor(
    private readonly clock: Clock,
    options: InProcessTimersOptions,
  ) {
    this.#time = options.time ?? thisMachine.time;
    this.#onError = options.onError;
    this.#open = options.enabled ?? true;
  }

  noticed(name: string, rows: readonly DueRow[]): void {
    // Before the start no list is known; the start reads all of them.
    const list = this.#lists.get(name);
    if (list === undefined) return;
    for (const { dueAt } of rows) list.due = Math.min(list.due, dueAt);
    if (list.sweep === undefined) this.#lookAt(Math.max(list.due, list.notBefore));
  }

  start(work: DueWork): void {
    this.#work = work;
    for (const name of work.lists) {
      this.#lists.set(name, { attempts: new Attempts(name), due: -Infinity, notBefore: -Infinity, sweep: undefined });
    }
    this.clockMoved();
  }

  clockMoved(): void {
    this.#lookAt(-Infinity);
  }

  tried(name: string, keys: readonly string[]): Promise<readonly TriedWork[] | undefined> {
    return Promise.resolve(this.#lists.get(name)?.attempts.tried(keys));
  }

  retry(name: string, key: string): void {
    const list = this.#lists.get(name);
    if (list === undefined) return;
    list.attempts.retry(key, this.clock.now());
    list.due = -Infinity;
    if (list.sweep === undefined) this.#lookAt(list.notBefore);
  }

  async close(): Promise<void> {
    this.#open = false;
    this.#time.cancel(this.#timer);
    await Promise.all([...this.#lists.values()].map(({ sweep }) => sweep ?? Promise.resolve()));
  }

  #lookAt(at: Instant): void {
    if (!this.#open || this.#work === undefined || at >= this.#looksAt) return;
    this.#looksAt = at;
    this.#time.cancel(this.#timer);
    const sleep = Math.min(Math.max(at - this.clock.now(), 0), LONGEST_SLEEP);
    this.#timer = this.#time.after(sleep, () => this.#look()).unref();
  }

  #look(): void {
    this.#looksAt = Infinity;
    const now = this.clock.now();
    for (const [name, list] of this.#lists) {
      if (list.sweep !== undefined) continue;
      const at = Math.max(list.due, list.notBefore);
      if (at <= now) this.#begin(name, list);
      else this.#lookAt(at);
    }
  }

  #begin(name: string, list: List): void {
    list.due = Infinity;
    list.sweep = this.#sweep(name, list).finally(() => {
      list.sweep = undefined;
      this.#lookAt(Math.max(list.due, list.notBefore));
    });
  }

  async #sweep(name: string, list: List): Promise<void> {
    const work = this.#work;
    if (work === undefined) return;
    const now = this.clock.now();
    try {
      const { rows, next } = await work.due(name);
      const ready = rows.filter(({ key }) => list.attempts.mayTry(key, now));
      for (let at = 0; at < ready.length && this.#open; at += TOGETHER) {
        await Promise.all(ready.slice(at, at + TOGETHER).map(({ key }) => runRow(work, name, key, list.attempts, now)));
      }
      list.due = Math.min(list.due, next, list.attempts.next(now), now + SWEEP_EVERY);
    } catch (error) {
      list.notBefore = this.clock.now() + PAUSE;
      list.due = -Infinity;
      this.#onError(name, error);
    }
  }
}

async function runRow(work: DueWork, list: string, key: string, attempts: Attempts, now: Instant): Promise<void> {
  try {
    const run = await work.run(list, key);
    if (run.state === 'done') attempts.done(key, now);
    else if (run.state === 'postponed') attempts.postponed(key, run.until);
    else attempts.forget(key);
  } catch (error) {
    attempts.failed(key, now, error);
  }
}
