import { namedOnce, SECOND, type Instant, type WorkRow } from '#kernel';
import { withoutCallDeadline } from '../scheduling/call-deadline.js';
import { Unavailable } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import type { DecisionGuard } from '../ports/decision-guard.js';
import { ViewNotReady, type StoredRow, type ViewReader, type ViewReaders } from '../ports/view-store.js';
import type { DueWork, RowRun, WorkTimers } from '../ports/work-timers.js';
import type { DueRow } from '../ports/report.js';
import { lte, type Where } from '../ports/query.js';
import type { OpenWork } from './open-work.js';

const PAGE = 1_000;
/** Milliseconds until the next try if a view is being built, or the log cannot be written or is not ours. */
const NOT_READY = SECOND;

/**
 * Knows which rows of the work lists are due and does the work of one; timers call it. It remembers nothing: the views say
 * what is open.
 */
export class WorkRunner implements DueWork {
  readonly #lists: ReadonlyMap<string, OpenWork>;
  readonly #readers: ViewReaders;
  readonly #timers: WorkTimers;
  readonly #clock: Clock;
  readonly #guard: Pick<DecisionGuard, 'open' | 'passed'>;
  readonly #mayLag: boolean;

  constructor(options: {
    readonly lists: readonly OpenWork[];
    readonly readers: ViewReaders;
    readonly timers: WorkTimers;
    readonly clock: Clock;
    /** Asked before the work of each row: what works outside the log, such as a call to another service, asks nobody else. */
    readonly guard: Pick<DecisionGuard, 'open' | 'passed'>;
    /**
     * Whether this clock may be behind that of the process which wrote a row: another process moved the test clock, and this one
     * does not know it yet. Then no row counts as due too late.
     */
    readonly mayLag?: boolean;
  }) {
    this.#lists = namedOnce('work lists', options.lists, ({ name }) => name);
    this.#readers = options.readers;
    this.#timers = options.timers;
    this.#clock = options.clock;
    this.#guard = options.guard;
    this.#mayLag = options.mayLag ?? false;
  }

  get lists(): readonly string[] {
    return [...this.#lists.keys()];
  }

  start(): void {
    this.#timers.start(this);
  }

  /** Passes on that rows of a list were written. */
  noticed(list: string, rows: readonly DueRow[]): void {
    if (this.#lists.has(list)) this.#timers.noticed(list, rows);
  }

  async due(name: string): Promise<{ readonly rows: readonly DueRow[]; readonly next: Instant }> {
    const reader = this.#readers.reader(this.#list(name).view);
    const now = this.#clock.now();
    try {
      const within = this.#longest(this.#list(name));
      const rows = [...(await dueRows(reader, lte('due_at', now))), ...(await impossible(reader, now + within))];
      const next = await reader.min('due_at', { op: 'gt', field: 'due_at', value: now });
      return { rows: rows.map((row) => asDue(row, now)), next: typeof next === 'number' ? next : Infinity };
    } catch (error) {
      if (!(error instanceof ViewNotReady)) throw error;
      return { rows: [], next: now + NOT_READY };
    }
  }

  async run(name: string, key: string): Promise<RowRun> {
    const list = this.#list(name);
    const now = this.#clock.now();
    let stored: StoredRow<WorkRow> | undefined;
    try {
      stored = await this.#readers.reader(list.view).get(key);
    } catch (error) {
      if (!(error instanceof ViewNotReady)) throw error;
      return { state: 'postponed', until: now + NOT_READY };
    }
    if (stored === undefined) return { state: 'gone' };
    const within = this.#longest(list);
    if (stored.row.due_at > now && stored.row.due_at <= now + within)
      return { state: 'later', dueAt: stored.row.due_at };
    try {
      const { row } = stored;
      if (!this.#guard.open) await this.#guard.passed();
      await withoutCallDeadline(() => list.run(key, row));
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      return { state: 'postponed', until: this.#clock.now() + NOT_READY };
    }
    return { state: 'done' };
  }

  /** The longest time in which a row that is written now can be due, in milliseconds. */
  #longest({ within = Infinity }: OpenWork): number {
    return this.#mayLag ? Infinity : within;
  }

  #list(name: string): OpenWork {
    const list = this.#lists.get(name);
    if (list === undefined) throw new Error(`there is no work list ${name}`);
    return list;
  }
}

/** Rows that are due later than any row written now can be: a clock was ahead when they were written. */
async function impossible(reader: ViewReader<WorkRow>, latest: Instant): Promise<readonly StoredRow<WorkRow>[]> {
  return latest === Infinity ? [] : dueRows(reader, { op: 'gt', field: 'due_at', value: latest });
}

/** Every due row. All are read before the first one runs, because rows that close would shift later pages. */
async function dueRows(reader: ViewReader<WorkRow>, where: Where): Promise<readonly StoredRow<WorkRow>[]> {
  const rows: StoredRow<WorkRow>[] = [];
  for (let number = 1; ; number += 1) {
    const found = await page(reader, where, number);
    rows.push(...found);
    if (found.length < PAGE) return rows;
  }
}

function page(reader: ViewReader<WorkRow>, where: Where, number: number): Promise<readonly StoredRow<WorkRow>[]> {
  const sort = [{ field: 'due_at', descending: false }];
  return reader.find({ where, sort, page: number, perPage: PAGE });
}

function asDue({ key, row }: StoredRow<WorkRow>, now: Instant): DueRow {
  return { key, dueAt: Math.min(row.due_at, now) };
}
