import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  isStuck,
  SteppableClock,
  type Clock,
  type DueRow,
  type DueWork,
  type RowRun,
  type WorkTimers,
} from '#eventsourcing';
import type { Instant } from '#kernel';

/** Long enough for a wrong timer to fire. */
const A_WHILE = 60;

export async function until(condition: () => boolean, patience = 240_000): Promise<void> {
  const end = Date.now() + patience;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`waited for ${patience / 1_000} s in vain`);
    await sleep(2);
  }
}

/** Work lists as a runner would show them to timers, and a record of what ran. */
export class MadeUpWork implements DueWork {
  readonly lists = ['holds', 'takeovers'];
  readonly #open = new Map<string, Instant>();
  /** `list/key` of each run that did its work, in order. */
  readonly runs: string[] = [];
  /** The most runs of one row at the same time. */
  most = 0;
  readonly #inside = new Map<string, number>();
  /** Does the work of a row; its result closes the row, leaves it open, or postpones it. */
  doing: (name: string) => Promise<'closes' | 'stays' | 'postpones' | undefined> = async () => 'closes';
  /** Runs at the start of each look for due rows. */
  looking: (list: string) => Promise<void> = async () => undefined;

  constructor(private readonly clock: Clock) {}

  open(list: string, key: string, dueAt: number): DueRow {
    this.#open.set(`${list}/${key}`, dueAt);
    return { key, dueAt };
  }

  close(list: string, key: string): void {
    this.#open.delete(`${list}/${key}`);
  }

  get size(): number {
    return this.#open.size;
  }

  async due(list: string): Promise<{ rows: readonly DueRow[]; next: number }> {
    await this.looking(list);
    const rows = [...this.#open]
      .filter(([name]) => name.startsWith(`${list}/`))
      .map(([name, dueAt]) => ({ key: name.slice(list.length + 1), dueAt }))
      .sort((a, b) => a.dueAt - b.dueAt);
    const now = this.clock.now();
    return {
      rows: rows.filter(({ dueAt }) => dueAt <= now),
      next: rows.find(({ dueAt }) => dueAt > now)?.dueAt ?? Infinity,
    };
  }

  async run(list: string, key: string): Promise<RowRun> {
    const name = `${list}/${key}`;
    const dueAt = this.#open.get(name);
    if (dueAt === undefined) return { state: 'gone' };
    if (dueAt > this.clock.now()) return { state: 'later', dueAt };
    this.runs.push(name);
    const inside = (this.#inside.get(name) ?? 0) + 1;
    this.#inside.set(name, inside);
    this.most = Math.max(this.most, inside);
    try {
      const outcome = await this.doing(name);
      if (outcome === 'postpones') return { state: 'postponed', until: this.clock.now() + 1_000 };
      if (outcome !== 'stays') this.#open.delete(name);
    } finally {
      this.#inside.set(name, inside - 1);
    }
    return { state: 'done' };
  }
}

/**
 * What every WorkTimers must do. Timers are hints, so the suite checks that each row runs, none before it is due, and none twice
 * at the same time; how soon is up to the adapter.
 */
export function workTimersContract(name: string, makeTimers: (clock: Clock) => Promise<WorkTimers>): void {
  describe(`work timers contract: ${name}`, () => {
    let clock: SteppableClock;
    let timers: WorkTimers;
    let work: MadeUpWork;
    const write = (list: string, key: string, dueAt: Instant): void => {
      timers.noticed(list, [work.open(list, key, dueAt)]);
    };
    const move = (by: number): void => {
      clock.follow(clock.ahead + by);
      timers.clockMoved();
    };
    const gate = (): { readonly shut: Promise<void>; open(): void } => {
      let open = (): void => undefined;
      const shut = new Promise<void>((resolve) => (open = resolve));
      return { shut, open: () => open() };
    };

    beforeEach(async () => {
      clock = new SteppableClock(Date.now);
      timers = await makeTimers(clock);
      work = new MadeUpWork(clock);
    });
    afterEach(() => timers.close());

    // A row that became due during downtime runs at once, though nobody announces it.
    it('runs at the start all rows that are already due, noticed or not, and no others', async () => {
      write('holds', 'noticed', clock.now() - 5_000);
      work.open('holds', 'found', clock.now() - 4_000);
      write('takeovers', 'p1', clock.now());
      write('takeovers', 'later', clock.now() + 300_000);
      await sleep(A_WHILE);
      expect(work.runs).toEqual([]);
      timers.start(work);
      await until(() => work.size === 1);
      expect(work.runs.sort()).toEqual(['holds/found', 'holds/noticed', 'takeovers/p1']);
    });

    // The machine's own time passes too, without anyone moving a clock.
    it('runs a row when it is due, not before', async () => {
      const due = clock.now() + 80;
      let ranAt = 0;
      work.doing = async () => (void (ranAt ||= clock.now()), 'closes');
      timers.start(work);
      write('holds', 'r1', due);
      await until(() => ranAt > 0);
      expect(ranAt).toBeGreaterThanOrEqual(due);
    });

    // Keys are ids, streams, and streams of followers.
    it('takes keys with any characters', async () => {
      const keys = ['inventory-x>reservation-y', 'a:b', '7', 'ä/ö %3A'];
      timers.start(work);
      timers.noticed(
        'holds',
        keys.map((key) => work.open('holds', key, clock.now())),
      );
      await until(() => work.size === 0);
      expect(work.runs.sort()).toEqual(keys.map((key) => `holds/${key}`).sort());
    });

    // A hold of five minutes ends when the clock is moved by five minutes, not five minutes later.
    it('G10: looks again after the clock was moved', async () => {
      timers.start(work);
      write('holds', 'r1', clock.now() + 300_000);
      await sleep(A_WHILE);
      move(290_000);
      await sleep(A_WHILE);
      expect(work.runs).toEqual([]);
      move(10_000);
      await until(() => work.runs.length > 0);
    });

    // A deadline may move in both directions: the row says when it is due, whatever was noted before.
    it('runs a row at its new time after its deadline moved', async () => {
      timers.start(work);
      write('holds', 'moved forward', clock.now() + 300_000);
      write('takeovers', 'put off', clock.now() + 10_000);
      await sleep(A_WHILE);
      write('holds', 'moved forward', clock.now() + 10_000);
      write('takeovers', 'put off', clock.now() + 300_000);
      move(10_000);
      await until(() => work.runs.includes('holds/moved forward'));
      await sleep(A_WHILE);
      expect(work.runs).toEqual(['holds/moved forward']);
      move(290_000);
      await until(() => work.runs.includes('takeovers/put off'));
    });

    it('does not run a row that is gone when its time comes', async () => {
      timers.start(work);
      write('holds', 'claimed', clock.now() + 10_000);
      write('holds', 'expired', clock.now() + 10_000);
      work.close('holds', 'claimed');
      move(10_000);
      await until(() => work.size === 0);
      expect(work.runs).toEqual(['holds/expired']);
    });

    it('runs every row of a list, even if only the earliest was noticed', async () => {
      timers.start(work);
      const start = clock.now();
      for (const after of [300_000, 100_000, 200_000]) work.open('holds', String(after), start + after);
      timers.noticed('holds', [{ key: '100000', dueAt: start + 100_000 }]);
      for (const after of [100_000, 200_000, 300_000]) {
        move(100_000);
        await until(() => work.runs.includes(`holds/${after}`));
      }
      expect(work.runs).toEqual(['holds/100000', 'holds/200000', 'holds/300000']);
    });

    it('runs many rows at once, each of them once', async () => {
      timers.start(work);
      const rows = Array.from({ length: 2_500 }, (_, n) => work.open('holds', `r${n}`, clock.now()));
      timers.noticed('holds', rows);
      await until(() => work.size === 0);
      expect(work.runs).toHaveLength(2_500);
    });

    // Two runs of one row at once would send its command twice. Rows that become due meanwhile must not be forgotten.
    it('never runs a row twice at the same time, and then runs what was noticed meanwhile', async () => {
      const held = gate();
      work.doing = async () => (await held.shut, 'closes');
      timers.start(work);
      write('holds', 'r1', clock.now());
      await until(() => work.runs.length === 1);
      timers.noticed('holds', [{ key: 'r1', dueAt: clock.now() }]);
      write('holds', 'r2', clock.now());
      timers.clockMoved();
      await sleep(A_WHILE);
      held.open();
      await until(() => work.size === 0);
      expect(work.runs.sort()).toEqual(['holds/r1', 'holds/r2']);
      expect(work.most).toBe(1);
    });

    // A list that waits for a slow gateway must not delay the holds.
    it('runs lists independently of one another', async () => {
      const held = gate();
      work.doing = async (row) => (row.startsWith('takeovers') && (await held.shut), 'closes');
      timers.start(work);
      for (let n = 0; n < 300; n += 1) write('takeovers', `p${n}`, clock.now());
      await until(() => work.runs.length > 0);
      write('holds', 'r1', clock.now());
      await until(() => work.runs.includes('holds/r1'));
      held.open();
      await until(() => work.size === 0);
    });

    it('tries a failed row again after a pause, and goes on with the others', async () => {
      const tried: number[] = [];
      work.doing = async (row) => {
        if (row !== 'holds/bad') return 'closes';
        if (tried.push(Date.now()) < 3) throw new Error('not now');
        return 'closes';
      };
      timers.start(work);
      for (const key of ['a', 'bad', 'c']) write('holds', key, clock.now());
      await until(() => work.size === 1);
      await until(() => work.size === 0);
      const [first = 0, second = 0, third = 0] = tried;
      // Two clocks, in whole milliseconds.
      expect(second - first).toBeGreaterThanOrEqual(990);
      expect(third - second).toBeGreaterThanOrEqual(1_990);
      expect(((await timers.tried('holds', ['bad'])) ?? []).filter(isStuck)).toEqual([]);
    });

    // The log was away for a while: rows that could not be tried must not wait longer for it.
    it('tries a postponed row again a moment later, and starts its pauses anew', async () => {
      const tried: number[] = [];
      work.doing = async () => {
        const tries = tried.push(Date.now());
        if (tries === 3) return 'postpones';
        if (tries < 5) throw new Error('not now');
        return 'closes';
      };
      timers.start(work);
      write('holds', 'r1', clock.now());
      await until(() => work.size === 0);
      const pauses = tried.slice(1).map((at, index) => at - (tried[index] ?? 0));
      expect(pauses[2]).toBeGreaterThanOrEqual(990);
      // It would have been eight seconds.
      expect(pauses[3]).toBeGreaterThanOrEqual(990);
      expect(pauses[3]).toBeLessThan(7_500);
    });

    // The view follows a moment after the command: running the row again meanwhile would be an endless loop.
    it('lets a row that is still open after its command rest for five seconds, then runs it again', async () => {
      const ranAt: number[] = [];
      work.doing = async (row) => (row === 'holds/r1' && ranAt.push(Date.now()) < 2 ? 'stays' : 'closes');
      timers.start(work);
      write('holds', 'r1', clock.now());
      await until(() => ranAt.length === 1);
      // Whatever else in the list becomes due meanwhile.
      write('holds', 'r2', clock.now());
      await until(() => work.runs.includes('holds/r2'));
      timers.clockMoved();
      await until(() => ranAt.length === 2);
      const [first = 0, second = 0] = ranAt;
      expect(second - first).toBeGreaterThanOrEqual(4_990);
    });

    // The store is away for a moment: the list then goes on by itself.
    it('repeats a failed look for due rows', async () => {
      let away = true;
      work.looking = async () => {
        if (away) throw new Error('the view is away');
      };
      work.open('holds', 'r1', clock.now());
      timers.start(work);
      await sleep(A_WHILE);
      expect(work.runs).toEqual([]);
      away = false;
      await until(() => work.size === 0);
    });

    // Closing a process must neither interrupt a command nor begin a new one.
    it('waits in close for what is under way, and runs nothing after it', async () => {
      let ended = false;
      work.doing = async () => {
        await sleep(A_WHILE);
        ended = true;
        return 'closes';
      };
      timers.start(work);
      write('holds', 'r1', clock.now());
      await until(() => work.runs.length === 1);
      await timers.close();
      expect(ended).toBe(true);
      write('holds', 'r3', clock.now());
      timers.clockMoved();
      await sleep(A_WHILE);
      expect(work.runs).toEqual(['holds/r1']);
    });
  });
}
