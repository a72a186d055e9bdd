import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Job } from 'bullmq';
import { BullMqTimers } from '#adapters/bullmq';
import { SteppableClock, type DueWork } from '#eventsourcing';
import { MadeUpWork, until } from '../../../test/contracts/work-timers.contract.js';
import { REDIS, REDIS_SHOWN, TestRedis } from '../../../test/support/redis.js';

const ROW = 'inventory-x>reservation-y';
/** Milliseconds that a slow machine may need between two steps. */
const SLOWNESS = 60_000;
const ROW_ID = 'holds-inventory-x%3Ereservation-y';

(REDIS === 'none' ? describe.skip : describe)(`jobs, on ${REDIS_SHOWN}`, () => {
  let redis: TestRedis;
  let clock: SteppableClock;
  let work: MadeUpWork;
  let errors: unknown[];
  let opened: BullMqTimers[];
  let prefix: string;
  let tests = 0;

  beforeAll(async () => {
    redis = await TestRedis.start();
  });
  afterAll(() => redis.end());
  beforeEach(() => {
    clock = new SteppableClock(Date.now);
    work = new MadeUpWork(clock);
    errors = [];
    opened = [];
    prefix = `${redis.prefix}-${(tests += 1)}`;
  });
  afterEach(async () => {
    await Promise.all(opened.map((timers) => timers.close()));
    expect(errors).toEqual([]);
  });

  const open = async (): Promise<BullMqTimers> => {
    const timers = await BullMqTimers.open({
      url: redis.url,
      prefix,
      clock,
      lists: ['holds', 'takeovers'],
      onError: (error) => void errors.push(error),
      away: (message) => void errors.push(message),
      warn: (message) => void errors.push(message),
    });
    opened.push(timers);
    return timers;
  };
  const jobOf = (timers: BullMqTimers, id: string): Promise<Job | undefined> =>
    timers.queues.find(({ name }) => name === 'holds')?.getJob(id) ?? Promise.resolve(undefined);
  /** Waits until the job of a row meets a condition. */
  const jobThat = async (timers: BullMqTimers, id: string, isSo: (job: Job) => boolean): Promise<Job> => {
    for (;;) {
      const job = await jobOf(timers, id);
      if (job !== undefined && isSo(job)) return job;
      await sleep(5);
    }
  };

  /** Ends a job's pause. On a slow machine it may be over already. */
  const promote = (job: Job): Promise<void> => job.promote().catch(() => undefined);

  it('a row has one job, named after list and row, which contains nothing else and waits for its time', async () => {
    const timers = await open();
    for (const key of [ROW, ROW, 'a:b']) {
      timers.noticed('holds', [work.open('holds', key, clock.now() + 300_000)]);
    }
    const job = await jobThat(timers, ROW_ID, () => true);
    expect(job.data).toEqual({ list: 'holds', key: ROW });
    expect(job.delay).toBeLessThanOrEqual(300_000);
    expect(job.delay).toBeGreaterThan(300_000 - SLOWNESS);
    await jobThat(timers, 'holds-a%3Ab', () => true);
    const [holds, takeovers] = timers.queues;
    expect(await holds?.getJobCounts()).toMatchObject({ delayed: 2, waiting: 0 });
    expect(await takeovers?.getJobCounts()).toMatchObject({ delayed: 0, waiting: 0 });
    expect((await redis.keys()).filter((key) => !key.startsWith(`${redis.prefix}-`))).toEqual([]);
  });

  it('a row that is gone a moment later never becomes a job', async () => {
    const timers = await open();
    for (const key of ['followed', 'stays']) {
      timers.noticed('holds', [work.open('holds', key, clock.now() + 300_000)]);
    }
    timers.noticed('holds', [{ key: 'followed', dueAt: Infinity }]);
    await jobThat(timers, 'holds-stays', () => true);
    expect(await timers.queues[0]?.getJobCounts()).toMatchObject({ delayed: 1, waiting: 0 });
  });

  it('the job of a finished row is gone as soon as its view has followed', async () => {
    const timers = await open();
    timers.start(work);
    timers.noticed('holds', [work.open('holds', 'r1', clock.now())]);
    await until(() => work.size === 0);
    const resting = await jobThat(timers, 'holds-r1', ({ attemptsMade }) => attemptsMade === 1);
    expect([resting.delay, resting.failedReason]).toEqual([5_000, expect.stringContaining('succeeded')]);
    await promote(resting);
    while ((await jobOf(timers, 'holds-r1')) !== undefined) await sleep(5);
    const counts = await timers.queues[0]?.getJobCounts();
    expect(Object.values(counts ?? {}).every((count) => count === 0)).toBe(true);
    expect(work.runs).toEqual(['holds/r1']);
  });

  it('a row that fails pauses as with in-process timers, is stuck from its tenth try, and continues', async () => {
    const timers = await open();
    work.doing = async () => {
      throw new Error('not now');
    };
    timers.start(work);
    timers.noticed('holds', [work.open('holds', 'r1', clock.now())]);
    const pauses = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300];
    for (let made = 0; made < 12;) {
      const job = await jobThat(timers, 'holds-r1', ({ attemptsMade }) => attemptsMade > made);
      // A slow machine may miss a short pause, after which the next try comes by itself.
      made = job.attemptsMade;
      expect(await timers.tried('holds', ['r1', 'r2'])).toEqual([
        { list: 'holds', key: 'r1', tries: made, error: 'not now', nextTryAt: expect.any(Number) },
      ]);
      expect([made, job.delay / 1_000]).toEqual([made, pauses[made - 1]]);
      await promote(job);
    }
    work.doing = async () => 'closes';
    await promote(await jobThat(timers, 'holds-r1', ({ attemptsMade }) => attemptsMade === 13));
    await until(() => work.size === 0);
  });

  it('G10: a moved clock brings delayed jobs forward, but no job that pauses after a failure', async () => {
    const timers = await open();
    work.doing = async (row) => {
      if (row === 'holds/bad') throw new Error('not now');
      return 'closes';
    };
    timers.start(work);
    timers.noticed('holds', [
      work.open('holds', 'bad', clock.now()),
      work.open('holds', 'waits', clock.now() + 300_000),
    ]);
    // The pause after its eighth try is longer than this test.
    for (let made = 0; made < 8;) {
      const bad = await jobThat(timers, 'holds-bad', ({ attemptsMade }) => attemptsMade > made);
      made = bad.attemptsMade;
      if (made < 8) await promote(bad);
    }
    clock.follow(300_000);
    timers.clockMoved();
    await until(() => work.runs.includes('holds/waits'));
    timers.clockMoved();
    await sleep(100);
    expect(work.runs.filter((run) => run === 'holds/bad')).toHaveLength(8);
  });

  it('a postponed row gets a new job, without the tries of the old one', async () => {
    const timers = await open();
    work.doing = async () => {
      throw new Error('not now');
    };
    timers.start(work);
    timers.noticed('holds', [work.open('holds', 'r1', clock.now())]);
    const job = await jobThat(timers, 'holds-r1', ({ attemptsMade }) => attemptsMade > 0);
    work.open('holds', 'r1', clock.now() + 300_000);
    await promote(job);
    const next = await jobThat(timers, 'holds-r1', ({ attemptsMade }) => attemptsMade === 0);
    expect(next.delay).toBeLessThanOrEqual(300_000);
    expect(next.delay).toBeGreaterThan(300_000 - SLOWNESS);
  });

  it('workers share the rows, and no two run the same row', async () => {
    const [one, other] = await Promise.all([open(), open()]);
    const ran = { one: 0, other: 0 };
    work.doing = async () => (await sleep(20), 'closes');
    const counted = (who: keyof typeof ran): DueWork => ({
      lists: work.lists,
      due: (list) => work.due(list),
      run: (list, key) => ((ran[who] += 1), work.run(list, key)),
    });
    one.start(counted('one'));
    other.start(counted('other'));
    one.noticed(
      'holds',
      Array.from({ length: 1_000 }, (_, n) => work.open('holds', `r${n}`, clock.now())),
    );
    await until(() => work.size === 0);
    expect(work.runs).toHaveLength(1_000);
    expect(work.most).toBe(1);
    expect(Math.min(ran.one, ran.other)).toBeGreaterThan(100);
  });

  it('another worker takes over a killed worker’s row, not before', async () => {
    const child = spawn(process.execPath, [
      resolve('dist/test/support/row-worker.child.js'),
      redis.url,
      prefix,
      'for ever',
    ]);
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    await until(() => lines.includes('running for ever'));
    const timers = await open();
    work.open('holds', 'for ever', clock.now());
    timers.start(work);
    await sleep(500);
    expect(work.runs).toEqual([]);
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    await until(() => work.size === 0);
  });
});
