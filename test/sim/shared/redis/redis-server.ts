import type { Seeded } from '../../core/seeded.js';
import type { Life } from '../../world/life.js';
import type { World } from '../../world/world.js';
import { RemoteServer } from '../network.js';

/** A worker that has been silent about a job for this long has lost it, in milliseconds. */
const LOCK = 5_000;

/** A job: one row of a work list. */
export interface Job {
  readonly list: string;
  readonly key: string;
  attempts: number;
  error: string;
  state: 'delayed' | 'active';
  /** Counts its runs: only the present one may end it. */
  run: number;
}

/** A process that runs jobs. */
export interface JobRunner {
  readonly life: Life;
  /** Whether it can be told of a job now. */
  readonly isReachable: boolean;
  take(job: Job, run: number): void;
  /** Whether it runs the job now: then it renews its lock. */
  isRunning(job: Job): boolean;
}

/** A Redis with BullMQ's queues: jobs wait there for their time, and for a worker. */
export class RedisServer extends RemoteServer {
  #jobs = new Map<string, Job>();
  readonly #runners = new Set<JobRunner>();
  readonly #random: Seeded;

  constructor(world: World) {
    super(world, 'redis');
    this.#random = world.random.of('redis');
  }

  runs(runner: JobRunner): void {
    this.#runners.add(runner);
  }

  leaves(runner: JobRunner): void {
    this.#runners.delete(runner);
  }

  find(list: string, key: string): Job | undefined {
    return this.#jobs.get(`${list}/${key}`);
  }

  /** Adds a job unless there is one for the row. @param delay milliseconds */
  add(list: string, key: string, delay: number): void {
    const { faults } = this.world;
    if (this.find(list, key) !== undefined || faults.strikes('redis: a job is lost')) return;
    const job: Job = { list, key, attempts: 0, error: '', state: 'delayed', run: 0 };
    this.#jobs.set(`${list}/${key}`, job);
    this.#wait(job, delay);
  }

  /** A delayed job is due now. */
  promote(job: Job): void {
    if (job.state === 'delayed') this.#wait(job, 0);
  }

  /** A run has ended: the job is done. */
  complete(job: Job, run: number): void {
    if (job.run === run && this.#isThere(job)) this.#jobs.delete(`${job.list}/${job.key}`);
  }

  /** A run has failed: the job is tried again after this many milliseconds. */
  fail(job: Job, run: number, { error, pause }: { readonly error: string; readonly pause: number }): void {
    if (job.run !== run || !this.#isThere(job)) return;
    job.attempts += 1;
    job.error = error;
    job.state = 'delayed';
    this.#wait(job, pause);
  }

  /** Everything in it is gone. */
  empty(): void {
    this.world.trace.tell(this.name, 'is emptied');
    this.#jobs = new Map();
  }

  #isThere(job: Job): boolean {
    return this.#jobs.get(`${job.list}/${job.key}`) === job;
  }

  #wait(job: Job, delay: number): void {
    const run = (job.run += 1);
    const { scheduler, faults } = this.world;
    const late = faults.strikes('redis: a job is late')
      ? this.#random.between(1_000, 120_000)
      : this.#random.between(0.5, 3);
    scheduler.after(delay + late, () => this.#offer(job, run));
  }

  /** Gives the job to a worker. */
  #offer(job: Job, run: number): void {
    if (job.run !== run || !this.#isThere(job)) return;
    for (const each of this.#runners) if (each.life.dead) this.#runners.delete(each);
    const runners = [...this.#runners].filter(({ isReachable }) => isReachable);
    const { scheduler, faults } = this.world;
    if (this.state !== 'up' || runners.length === 0) {
      scheduler.after(1_000, () => this.#offer(job, run));
      return;
    }
    job.state = 'active';
    const runner = this.#random.one(runners);
    runner.take(job, run);
    if (faults.strikes('redis: a job runs twice')) this.#random.one(runners).take(job, run);
    scheduler.after(LOCK, () => this.#checkLock(job, run, runner));
  }

  /** A worker that runs the job renews its lock. One that never heard of the job, or ended and was not heard, does not. */
  #checkLock(job: Job, run: number, runner: JobRunner): void {
    if (job.run !== run || job.state !== 'active' || !this.#isThere(job)) return;
    const { scheduler } = this.world;
    if (!runner.life.dead && runner.isRunning(job) && runner.life.pausedUntil <= scheduler.now && runner.isReachable) {
      scheduler.after(LOCK, () => this.#checkLock(job, run, runner));
      return;
    }
    job.state = 'delayed';
    this.#wait(job, 0);
  }
}
