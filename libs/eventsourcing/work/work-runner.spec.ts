import { beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import {
  timeLeft,
  Unavailable,
  ViewNotReady,
  withCallDeadline,
  WorkRunner,
  type DueRow,
  type OpenWork,
  type StoredRow,
  type ViewReader,
  type ViewReaders,
  type WorkTimers,
} from '#eventsourcing';
import { SECOND, defineView, type Instant, type WorkRow } from '#kernel';

const view = defineView<WorkRow, never>({ name: 'jobs', version: 1, key: () => [], on: {} });

/** Open rows, as a reader of the view `jobs` returns them for the runner's queries. */
class Rows implements ViewReaders {
  readonly open = new Map<string, WorkRow>();
  ready = true;

  reader<Row extends object>(): ViewReader<Row> {
    const due = (op: string, value: Instant): StoredRow[] =>
      [...this.open]
        .filter(([, row]) => (op === 'gt' ? row.due_at > value : row.due_at <= value))
        .sort(([, a], [, b]) => a.due_at - b.due_at)
        .map(([key, row]) => ({ key, row, position: 1n }));
    const reader: Pick<ViewReader, 'get' | 'find' | 'min'> = {
      get: async (key) => {
        if (!this.ready) throw new ViewNotReady('jobs');
        const row = this.open.get(key);
        return row === undefined ? undefined : { key, row, position: 1n };
      },
      find: async ({ where, page, perPage }) => {
        if (!this.ready) throw new ViewNotReady('jobs');
        return 'value' in where
          ? due(where.op, where.value as Instant).slice((page - 1) * perPage, page * perPage)
          : [];
      },
      min: async (_, where) => {
        const after = 'value' in where ? (where.value as Instant) : 0;
        const later = [...this.open.values()].map(({ due_at }) => due_at).filter((due_at) => due_at > after);
        return later.length === 0 ? undefined : Math.min(...later);
      },
    };
    return reader as ViewReader<Row>;
  }
  generation(): never {
    throw new Error('nobody compares');
  }
  refresh(): void {
    this.ready = true;
  }
  async close(): Promise<void> {
    await Promise.resolve();
  }
}

/** Notes the calls and answers them. */
class Notes implements WorkTimers {
  readonly wants = 'all';
  readonly calls: unknown[] = [];
  noticed(list: string, rows: readonly DueRow[]): void {
    this.calls.push([list, rows]);
  }
  start(work: unknown): void {
    this.calls.push(work);
  }
  clockMoved(): void {
    this.calls.push('moved');
  }
  tried(): ReturnType<WorkTimers['tried']> {
    return Promise.resolve(undefined);
  }
  retry(list: string, key: string): void {
    this.calls.push(['retry', list, key]);
  }
  async close(): Promise<void> {
    await Promise.resolve();
  }
}

describe('the runner of work lists', () => {
  let rows: Rows;
  let timers: Notes;
  let now: Instant;
  let tried: [string, WorkRow][];
  /** Milliseconds that a row may wait. */
  let left: number;
  let jobs: OpenWork;
  let runner: WorkRunner;
  let guard: { open: boolean; passed: () => Promise<void> };

  beforeEach(() => {
    rows = new Rows();
    timers = new Notes();
    now = 1_000_000;
    tried = [];
    jobs = {
      name: 'jobs',
      view,
      within: 60_000,
      shown: { does: 'Does jobs.', about: () => ({}) },
      run: async (key, row) => {
        tried.push([key, row]);
        left = timeLeft(5_000);
        if (key === 'bad') throw new Error('not now');
        if (key === 'away') throw new Unavailable('the log is away');
      },
    };
    guard = { open: true, passed: () => Promise.reject(new Error('nobody asks a guard that is open')) };
    runner = new WorkRunner({ lists: [jobs], readers: rows, timers, clock: { now: () => now }, guard });
  });

  it('starts the timers, and passes them the rows of its lists that were written', () => {
    runner.start();
    runner.noticed('jobs', [{ key: 'a', dueAt: 7 }]);
    runner.noticed('no list of ours', [{ key: 'a', dueAt: 7 }]);
    expect(timers.calls).toEqual([runner, ['jobs', [{ key: 'a', dueAt: 7 }]]]);
    expect(runner.lists).toEqual(['jobs']);
  });

  it('knows what is due, oldest first, and when the next row is due', async () => {
    expect(await runner.due('jobs')).toEqual({ rows: [], next: Infinity });
    rows.open.set('later', { due_at: now + 30_000 });
    rows.open.set('now', { due_at: now });
    rows.open.set('past', { due_at: now - 1 });
    expect(await runner.due('jobs')).toEqual({
      rows: [
        { key: 'past', dueAt: now - 1 },
        { key: 'now', dueAt: now },
      ],
      next: now + 30_000,
    });
  });

  // No row written now is due so late: the clock was ahead when it was written, and nobody should wait for that.
  it('runs a row immediately if it is due later than any row written now can be', async () => {
    rows.open.set('far', { due_at: now + 60_001 });
    rows.open.set('later', { due_at: now + 60_000 });
    expect((await runner.due('jobs')).rows).toEqual([{ key: 'far', dueAt: now }]);
    expect(await runner.run('jobs', 'far')).toEqual({ state: 'done' });
    expect(await runner.run('jobs', 'later')).toEqual({ state: 'later', dueAt: now + 60_000 });
    expect(tried.map(([key]) => key)).toEqual(['far']);
  });

  // A worker that stood still while another process moved the test clock once ended a new hold half an hour early.
  it('waits for such a row if its clock may be behind the one that wrote it', async () => {
    runner = new WorkRunner({ lists: [jobs], readers: rows, timers, clock: { now: () => now }, guard, mayLag: true });
    rows.open.set('far', { due_at: now + 60_001 });
    expect(await runner.due('jobs')).toEqual({ rows: [], next: now + 60_001 });
    expect(await runner.run('jobs', 'far')).toEqual({ state: 'later', dueAt: now + 60_001 });
    expect(tried).toEqual([]);
  });

  it('finds more rows than fit one page', async () => {
    for (let n = 0; n < 2_500; n += 1) rows.open.set(`k${n}`, { due_at: now - n });
    expect(new Set((await runner.due('jobs')).rows.map(({ key }) => key)).size).toBe(2_500);
  });

  // A timer that a call has set, such as a call that moved the test clock, runs in the context of that call.
  it('gives each row its own time, whichever call set the timer', async () => {
    rows.open.set('a', { due_at: now });
    await withCallDeadline(
      thisMachine.time,
      async () => {
        expect(timeLeft(5_000)).toBeLessThanOrEqual(0);
        await runner.run('jobs', 'a');
      },
      0,
    );
    expect(left).toBe(5_000);
  });

  it('runs a due row in its present form', async () => {
    rows.open.set('a', { due_at: now });
    expect(await runner.run('jobs', 'a')).toEqual({ state: 'done' });
    expect(tried).toEqual([['a', { due_at: now }]]);
  });

  it('does nothing for a row that is gone or was moved', async () => {
    rows.open.set('moved', { due_at: now + 1 });
    expect(await runner.run('jobs', 'gone')).toEqual({ state: 'gone' });
    expect(await runner.run('jobs', 'moved')).toEqual({ state: 'later', dueAt: now + 1 });
    expect(tried).toEqual([]);
  });

  it('rejects if a row could not be done', async () => {
    rows.open.set('bad', { due_at: now });
    await expect(runner.run('jobs', 'bad')).rejects.toThrow('not now');
    await expect(runner.run('no list of ours', 'bad')).rejects.toThrow('no work list');
  });

  it('waits a second for a view that is being built, and counts no try', async () => {
    rows.ready = false;
    rows.open.set('a', { due_at: now });
    expect(await runner.due('jobs')).toEqual({ rows: [], next: now + SECOND });
    expect(await runner.run('jobs', 'a')).toEqual({ state: 'postponed', until: now + SECOND });
  });

  it('waits a second for an unavailable log, and counts no try', async () => {
    rows.open.set('away', { due_at: now });
    expect(await runner.run('jobs', 'away')).toEqual({ state: 'postponed', until: now + SECOND });
  });

  // Work may be a call to another service: a process whose log is refused must not make it.
  it('does no work while decisions on the log are forbidden', async () => {
    guard.open = false;
    guard.passed = () => Promise.reject(new Unavailable('the event log needs an operator'));
    rows.open.set('a', { due_at: now });
    expect(await runner.run('jobs', 'a')).toEqual({ state: 'postponed', until: now + SECOND });
    expect(tried).toEqual([]);
    guard.passed = async () => undefined;
    expect(await runner.run('jobs', 'a')).toEqual({ state: 'done' });
  });
});
