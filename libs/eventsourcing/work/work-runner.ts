import { MINUTE, SECOND, type Instant, type WorkRow } from '#kernel';
import type { Clock } from '../ports/clock.js';
import { ViewNotReady, type StoredRow, type ViewReader, type ViewReaders } from '../ports/view-store.js';
import type { WorkTimers } from '../ports/work-timers.js';
import { lte } from '../query.js';
import type { OpenWork } from './open-work.js';

/** A row that was tried and is still open. */
interface Attempt {
  readonly tries: number;
  readonly notBefore: Instant;
  readonly error: string;
}

/** A row that keeps failing, or stays open whatever is done, for operators to see. */
export interface StuckWork {
  readonly list: string;
  readonly key: string;
  readonly tries: number;
  readonly error: string;
}

const PAGE = 1_000;
/** So many commands are sent at a time. */
const TOGETHER = 200;
const LONGEST_PAUSE = 5 * MINUTE;
/** A row whose command went well stays until the view has followed; it is tried again only after this time. */
const SETTLE = 5 * SECOND;
const STUCK_AFTER = 10;
/** A list is looked at at least so often: a notification may have been lost. */
const SWEEP_EVERY = MINUTE;

/**
 * Sends the command of each due row: when told that it is due, at its time, and on a sweep. What was tried is remembered
 * only here; after a restart everything that is open and due is tried again.
 */
export class WorkRunner {
  readonly #lists: ReadonlyMap<string, OpenWork>;
  readonly #readers: ViewReaders;
  readonly #timers: WorkTimers;
  readonly #clock: Clock;
  readonly #attempts = new Map<string, Attempt>();

  constructor(options: {
    readonly lists: readonly OpenWork[];
    readonly readers: ViewReaders;
    readonly timers: WorkTimers;
    readonly clock: Clock;
  }) {
    this.#lists = new Map(options.lists.map((list) => [list.name, list]));
    this.#readers = options.readers;
    this.#timers = options.timers;
    this.#clock = options.clock;
  }

  start(): void {
    this.#timers.start((list) => this.sweep(list));
    for (const list of this.#lists.keys()) this.#timers.schedule(list, '', this.#clock.now());
  }

  /** Rows of a list were written, the earliest of them due at this time. */
  noticed(list: string, dueAt: Instant): void {
    if (this.#lists.has(list)) this.#timers.schedule(list, '', dueAt);
  }

  /** The rows that were tried ten times or more, and go on at the longest interval. */
  get stuck(): readonly StuckWork[] {
    return [...this.#attempts]
      .filter(([, attempt]) => attempt.tries >= STUCK_AFTER)
      .map(([name, { tries, error }]) => {
        const slash = name.indexOf('/');
        return { list: name.slice(0, slash), key: name.slice(slash + 1), tries, error };
      });
  }

  /** Tries every due row of a list once, and asks to be woken for the next one. */
  async sweep(name: string): Promise<void> {
    const list = this.#lists.get(name);
    if (list === undefined) return;
    const reader = this.#readers.reader<WorkRow>(list.view);
    const now = this.#clock.now();
    try {
      const due = await dueRows(reader, now);
      for (let at = 0; at < due.length; at += TOGETHER) {
        await Promise.all(due.slice(at, at + TOGETHER).map((row) => this.#try(list, row, now)));
      }
      await this.#scheduleNext(name, reader, now);
    } catch (error) {
      if (!(error instanceof ViewNotReady)) throw error;
      this.#timers.schedule(name, '', now + SECOND);
    }
  }

  async #scheduleNext(
    name: string,
    reader: { min(field: string, where: ReturnType<typeof lte>): Promise<unknown> },
    now: Instant,
  ): Promise<void> {
    const due = await reader.min('due_at', { op: 'gt', field: 'due_at', value: now });
    let next = Math.min(typeof due === 'number' ? due : Infinity, now + SWEEP_EVERY);
    for (const [key, { notBefore }] of this.#attempts) {
      if (!key.startsWith(`${name}/`)) continue;
      // Its row was due and was not tried again in this sweep: it is gone.
      if (notBefore <= now) this.#attempts.delete(key);
      else next = Math.min(next, notBefore);
    }
    this.#timers.schedule(name, '', next);
  }

  async #try(list: OpenWork, { key, row }: StoredRow<WorkRow>, now: Instant): Promise<void> {
    const name = `${list.name}/${key}`;
    const before = this.#attempts.get(name);
    if (before !== undefined && before.notBefore > now) return;
    const tries = (before?.tries ?? 0) + 1;
    try {
      await list.run(key, row);
      const notBefore = now + Math.max(SETTLE, pauseAfter(tries));
      this.#attempts.set(name, { tries, notBefore, error: 'its command went well, but it is still open' });
    } catch (error) {
      this.#attempts.set(name, { tries, notBefore: now + pauseAfter(tries), error: String(error) });
    }
  }
}

/** Every due row, read before the first is tried: rows that close meanwhile would shift the pages behind them. */
async function dueRows(reader: ViewReader<WorkRow>, now: Instant): Promise<readonly StoredRow<WorkRow>[]> {
  const rows: StoredRow<WorkRow>[] = [];
  const where = lte('due_at', now);
  const sort = [{ field: 'due_at', descending: false }];
  for (let page = 1; ; page += 1) {
    const found = await reader.find({ where, sort, page, perPage: PAGE });
    rows.push(...found);
    if (found.length < PAGE) return rows;
  }
}

function pauseAfter(tries: number): number {
  return tries >= STUCK_AFTER ? LONGEST_PAUSE : Math.min(SECOND * 2 ** (tries - 1), LONGEST_PAUSE);
}
