import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  ViewNotReady,
  WorkRunner,
  type OpenWork,
  type StoredRow,
  type ViewReader,
  type ViewReaders,
  type WorkTimers,
} from '#eventsourcing';
import { MINUTE, SECOND, defineView, type Instant, type WorkRow } from '#kernel';

const view = defineView<WorkRow, never>({ name: 'jobs', version: 1, key: () => [], on: {} });

/** Open rows, as a reader of the view `jobs` would give them for the runner's two questions. */
class Rows implements ViewReaders {
  readonly open = new Map<string, WorkRow>();
  ready = true;

  reader<Row extends object>(): ViewReader<Row> {
    const due = (now: Instant): StoredRow[] =>
      [...this.open]
        .filter(([, row]) => row.due_at <= now)
        .sort(([, a], [, b]) => a.due_at - b.due_at)
        .map(([key, row]) => ({ key, row, position: 1n }));
    const reader: Pick<ViewReader, 'find' | 'min'> = {
      find: async ({ where, page, perPage }) => {
        if (!this.ready) throw new ViewNotReady('jobs');
        return 'value' in where ? due(where.value as Instant).slice((page - 1) * perPage, page * perPage) : [];
      },
      min: async (_, where) => {
        const after = 'value' in where ? (where.value as Instant) : 0;
        const later = [...this.open.values()].map(({ due_at }) => due_at).filter((due_at) => due_at > after);
        return later.length === 0 ? undefined : Math.min(...later);
      },
    };
    return reader as ViewReader<Row>;
  }
  refresh(): void {
    this.ready = true;
  }
  async close(): Promise<void> {
    await Promise.resolve();
  }
}

/** Remembers the earliest wish per list. */
class Wishes implements WorkTimers {
  handler: ((list: string) => Promise<void>) | undefined;
  readonly wishes: Instant[] = [];
  schedule(_list: string, _key: string, dueAt: Instant): void {
    this.wishes.push(dueAt);
  }
  start(handler: (list: string) => Promise<void>): void {
    this.handler = handler;
  }
  clockMoved(): void {
    this.wishes.length = 0;
  }
  async close(): Promise<void> {
    await Promise.resolve();
  }
}

describe('the runner of work lists', () => {
  let rows: Rows;
  let timers: Wishes;
  let now: Instant;
  let tried: string[];
  let doing: (key: string) => Promise<void>;
  let runner: WorkRunner;

  beforeEach(() => {
    rows = new Rows();
    timers = new Wishes();
    now = 1_000_000;
    tried = [];
    doing = async (key) => void rows.open.delete(key);
    const jobs: OpenWork = {
      name: 'jobs',
      view,
      run: async (key) => {
        tried.push(key);
        await doing(key);
      },
    };
    runner = new WorkRunner({ lists: [jobs], readers: rows, timers, clock: { now: () => now } });
  });

  const wake = async (): Promise<Instant> => {
    timers.wishes.length = 0;
    await runner.sweep('jobs');
    return Math.min(...timers.wishes);
  };

  it('looks at every list when it starts, and when rows were written', async () => {
    runner.start();
    expect(timers.wishes).toEqual([now]);
    runner.noticed('jobs', now + 7);
    runner.noticed('no list of ours', now);
    expect(timers.wishes).toEqual([now, now + 7]);
    rows.open.set('a', { due_at: now });
    await timers.handler?.('jobs');
    expect(tried).toEqual(['a']);
  });

  it('runs what is due, oldest first, and asks to be woken for what is not', async () => {
    rows.open.set('later', { due_at: now + 30_000 });
    rows.open.set('now', { due_at: now });
    rows.open.set('past', { due_at: now - 1 });
    expect(await wake()).toBe(now + 5 * SECOND);
    expect(tried).toEqual(['past', 'now']);
    now += 5 * SECOND;
    expect(await wake()).toBe(now + 25_000);
  });

  it('looks again after a minute at the latest, for a notification may have been lost', async () => {
    expect(await wake()).toBe(now + MINUTE);
    rows.open.set('late', { due_at: now + 10 * MINUTE });
    expect(await wake()).toBe(now + MINUTE);
  });

  it('runs more rows than one page has, once each, though they close while others are run', async () => {
    doing = async (key) => void rows.open.delete(key);
    for (let n = 0; n < 2_500; n += 1) rows.open.set(`k${n}`, { due_at: now - n });
    await wake();
    expect(new Set(tried).size).toBe(2_500);
    expect(tried).toHaveLength(2_500);
  });

  it('does not run a row again while the view has not followed', async () => {
    doing = async () => undefined;
    rows.open.set('a', { due_at: now });
    const next = await wake();
    now = next - 1;
    await wake();
    expect(tried).toEqual(['a']);
    now = next;
    await wake();
    expect(tried).toEqual(['a', 'a']);
  });

  /** Lets time pass, second by second, until a row was tried so many times; the pauses between the tries, in seconds. */
  const pauses = async (tries: number): Promise<number[]> => {
    const pauses: number[] = [];
    await wake();
    while (tried.length < tries) {
      const [before, times] = [now, tried.length];
      while (tried.length === times) {
        now += SECOND;
        await wake();
      }
      pauses.push((now - before) / SECOND);
    }
    return pauses;
  };

  it('tries a row that fails again after 1, 2, 4 … seconds, five minutes at most', async () => {
    doing = async () => {
      throw new Error('not now');
    };
    rows.open.set('a', { due_at: now });
    expect(await pauses(13)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  });

  it('shows a row as stuck from its tenth try on, and no longer once it is done', async () => {
    doing = async () => {
      throw new Error('not now');
    };
    rows.open.set('a/b', { due_at: now });
    await pauses(9);
    expect(runner.stuck).toEqual([]);
    await pauses(10);
    expect(runner.stuck).toEqual([{ list: 'jobs', key: 'a/b', tries: 10, error: 'Error: not now' }]);
    rows.open.delete('a/b');
    now += 5 * MINUTE;
    await wake();
    expect(runner.stuck).toEqual([]);
  });

  it('a row that stays open though its command went well rests longer and longer, and shows as stuck too', async () => {
    doing = async () => undefined;
    rows.open.set('a', { due_at: now });
    expect(await pauses(12)).toEqual([5, 5, 5, 8, 16, 32, 64, 128, 256, 300, 300]);
    expect(runner.stuck).toEqual([{ list: 'jobs', key: 'a', tries: 12, error: expect.stringContaining('still open') }]);
  });

  it('one row that fails does not keep the others', async () => {
    doing = async (key) => {
      if (key === 'bad') throw new Error('not now');
      rows.open.delete(key);
    };
    for (const key of ['a', 'bad', 'c']) rows.open.set(key, { due_at: now });
    await wake();
    expect([...rows.open.keys()]).toEqual(['bad']);
  });

  it('waits a second for a view that is being built', async () => {
    rows.ready = false;
    rows.open.set('a', { due_at: now });
    expect(await wake()).toBe(now + SECOND);
    rows.ready = true;
    await wake();
    expect(tried).toEqual(['a']);
  });
});
