import { ErrorCode, Job, Queue, Worker, type JobsOptions } from 'bullmq';
import {
  pauseAfter,
  SettlingRows,
  STILL_OPEN,
  type Clock,
  type DueRow,
  type DueWork,
  type Time,
  type TriedWork,
} from '#eventsourcing';
import type { Instant } from '#kernel';
import { jobId, type RowJob } from './job-id.js';
import type { RedisConnections } from './redis-connections.js';

/** The rows of a list that one process runs at a time. */
const CONCURRENCY = 100;
/** The most jobs in one call to Redis. */
const CHUNK = 1_000;
/** The most noticed rows that wait to be sent to Redis. The sweep finds the others when they are due. */
const MOST_WAITING = 10_000;
/** Milliseconds without a sign of life after which another worker takes a job, and between two looks for such jobs. */
const LOCK = 5_000;
const STALLED_EVERY = 2_000;
/** Milliseconds that BullMQ gets to close its connections. */
const LETTING_GO = 5_000;

/** The row's command succeeded. The job waits until the view has followed, and then finds the row gone. */
class StillOpen extends Error {
  override name = 'StillOpen';
}

/** A failed job is never given up, because the row is still open. */
const JOB: JobsOptions = {
  attempts: Number.MAX_SAFE_INTEGER,
  backoff: { type: 'as the runner pauses' },
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
};

export interface WorkQueueOptions {
  readonly list: string;
  readonly prefix: string;
  readonly redis: RedisConnections;
  readonly clock: Clock;
  readonly time: Time;
  readonly onError: (error: unknown) => void;
}

/**
 * The jobs of one work list, one per open row: waiting, or delayed until the row is due. A tried job keeps its count until
 * the row is gone; a moved row gets a new job.
 */
export class WorkQueue {
  readonly queue: Queue<RowJob, Instant | null>;
  readonly #options: WorkQueueOptions;
  readonly #settling: SettlingRows;
  readonly #waiting = new Map<string, Instant>();
  readonly #under = new Set<Promise<unknown>>();
  #worker: Worker<RowJob, Instant | null> | undefined;
  #adding = false;
  #open = true;

  constructor(options: WorkQueueOptions) {
    const { list, prefix, redis, clock, time } = options;
    this.#options = options;
    this.#settling = new SettlingRows(clock, time, (rows) => this.#addSoon(rows));
    this.queue = new Queue(list, { prefix, connection: redis.commands, defaultJobOptions: JOB });
    this.queue.on('error', (error) => this.#failed(error));
  }

  /** Begins to run jobs, whichever process added them. */
  start(work: DueWork): void {
    const { list, prefix, redis } = this.#options;
    this.#worker = new Worker<RowJob, Instant | null>(list, (job) => this.#process(work, job), {
      prefix,
      connection: redis.workers,
      concurrency: CONCURRENCY,
      lockDuration: LOCK,
      stalledInterval: STALLED_EVERY,
      // A worker that dies says nothing about the row.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      settings: {
        backoffStrategy: (tries, _, error) => pauseAfter(tries, error instanceof StillOpen ? 'done' : 'failed'),
      },
    });
    this.#worker.on('error', (error) => this.#failed(error));
    this.#worker.on('completed', ({ data }, dueAt) => {
      if (dueAt !== null) this.notice([{ key: data.key, dueAt }]);
    });
  }

  /** Adds jobs for rows without one, unless they are gone a moment later. */
  notice(rows: readonly DueRow[]): void {
    if (this.#open) this.#settling.notice(rows);
  }

  /** Adds jobs for due rows without one, and moves forward delayed jobs that are due by now. */
  async bringBack(rows: readonly DueRow[]): Promise<void> {
    for (let at = 0; at < rows.length && this.#open; at += CHUNK) {
      const some = rows.slice(at, at + CHUNK);
      const jobs = await this.#jobs(some.map(({ key }) => key));
      await this.#add(some.filter((_, index) => jobs[index] === undefined));
      // A job that was tried waits until its pause is over.
      const early = jobs.filter((job) => job !== undefined && job.attemptsMade === 0 && job.delay > 0);
      await Promise.all(early.map((job) => this.#promote(job)));
    }
  }

  async tried(keys: readonly string[]): Promise<readonly TriedWork[]> {
    const { list, clock, time } = this.#options;
    // Jobs have the times of the machine that ran them.
    const ahead = clock.now() - time.wall();
    return (await this.#jobs(keys)).flatMap((job) => {
      if (job === undefined || job.attemptsMade === 0) return [];
      const nextTryAt = (job.processedOn ?? job.timestamp) + job.delay + ahead;
      return [{ list, key: job.data.key, tries: job.attemptsMade, error: job.failedReason, nextTryAt }];
    });
  }

  /** Ends the pause of a row’s job, or adds one. */
  async retry(key: string): Promise<void> {
    const [job] = await this.#jobs([key]);
    if (job === undefined) await this.#add([{ key, dueAt: this.#options.clock.now() }]);
    else await this.#promote(job);
  }

  async close(): Promise<void> {
    this.#open = false;
    this.#settling.close();
    await this.#worker?.pause(true);
    await Promise.allSettled(this.#under);
    // BullMQ waits to store the results in Redis. If Redis is away, the jobs are later found stalled.
    const { up } = this.#options.redis;
    await Promise.race([this.#worker?.close(!up), this.#options.time.pause(LETTING_GO, { ref: false })]);
    await this.queue.close();
  }

  /** In large calls. */
  #addSoon(rows: readonly DueRow[]): void {
    for (const { key, dueAt } of rows) {
      if (this.#waiting.size < MOST_WAITING) this.#waiting.set(key, dueAt);
    }
    if (!this.#adding) void this.#addWaiting();
  }

  #process(work: DueWork, job: Job<RowJob>): Promise<Instant | null> {
    const run = this.#run(work, job.data);
    this.#under.add(run);
    void run.finally(() => this.#under.delete(run)).catch(() => undefined);
    return run;
  }

  /** The later of the row's due time and the next try. The row then gets a new job, without the tries of this one. */
  async #run(work: DueWork, { list, key }: RowJob): Promise<Instant | null> {
    const run = await work.run(list, key);
    switch (run.state) {
      case 'gone':
        return null;
      case 'later':
        return run.dueAt;
      case 'postponed':
        return run.until;
      case 'done':
        throw new StillOpen(STILL_OPEN);
    }
  }

  async #addWaiting(): Promise<void> {
    this.#adding = true;
    try {
      while (this.#waiting.size > 0 && this.#open) {
        const some = [...this.#waiting].slice(0, CHUNK);
        for (const [key] of some) this.#waiting.delete(key);
        await this.#add(some.map(([key, dueAt]) => ({ key, dueAt })));
      }
    } catch (error) {
      // The sweep finds these rows when they are due.
      this.#waiting.clear();
      this.#failed(error);
    } finally {
      this.#adding = false;
    }
  }

  async #add(rows: readonly DueRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { list, clock } = this.#options;
    const now = clock.now();
    await this.queue.addBulk(
      rows.map(({ key, dueAt }) => {
        const opts = { jobId: jobId(list, key), delay: Math.max(dueAt - now, 0) };
        return { name: list, data: { list, key }, opts };
      }),
    );
  }

  #jobs(keys: readonly string[]): Promise<readonly (Job<RowJob, Instant | null> | undefined)[]> {
    const { list } = this.#options;
    return Promise.all(keys.map((key) => Job.fromId<RowJob, Instant | null>(this.queue, jobId(list, key))));
  }

  async #promote(job: Job<RowJob> | undefined): Promise<void> {
    try {
      await job?.promote();
    } catch (error) {
      // The job is no longer delayed: its time came, or another process was faster.
      if ((error as { readonly code?: unknown }).code !== ErrorCode.JobNotInState) throw error;
    }
  }

  /** The connection has already reported that Redis is away. */
  #failed(error: unknown): void {
    if (this.#options.redis.up && this.#open) this.#options.onError(error);
  }
}
