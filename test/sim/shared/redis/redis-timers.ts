import {
  type Clock,
  type DueRow,
  type DueWork,
  pauseAfter,
  SettlingRows,
  STILL_OPEN,
  type TriedWork,
  type Timer,
  Unavailable,
  type WorkTimers,
} from '#eventsourcing';
import type { Life } from '../../world/life.js';
import { Connection } from '../network.js';
import type { Job, JobRunner, RedisServer } from './redis-server.js';

/** Milliseconds between two looks at what is due, as `BullMqTimers` has them. */
const SWEEP_EVERY = 5_000;
/** How long a command waits, in milliseconds. */
const PATIENCE = 5_000;
/** The most noticed rows that wait to be sent. */
const MOST_WAITING = 10_000;

const ERRORS = {
  refused: () => new Unavailable('Redis does not answer'),
  broken: () => new Unavailable('the connection to Redis is closed'),
};

/** One process's timers in the simulated Redis: `BullMqTimers` without its library. */
export class SimulatedRedisTimers implements WorkTimers, JobRunner {
  readonly wants = 'all';
  readonly #connection: Connection;
  readonly #settling = new Map<string, SettlingRows>();
  readonly #waiting = new Map<string, { readonly list: string } & DueRow>();
  readonly #sweeps = new Map<string, Promise<void>>();
  readonly #again = new Set<string>();
  /** The rows that run: none runs twice at a time. */
  readonly #running = new Map<string, Promise<void>>();
  #adding = false;
  #work: DueWork | undefined;
  #timer: Timer | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    private readonly server: RedisServer,
    readonly life: Life,
    private readonly options: { readonly clock: Clock; readonly onError: (error: unknown) => void },
  ) {
    this.#connection = new Connection(life, server, ERRORS);
    life.onCrash(server.whenBack(() => this.#connection.soon(() => this.clockMoved())));
  }

  /** Whether Redis is away. */
  get away(): boolean {
    return this.server.state === 'down';
  }

  get isReachable(): boolean {
    return this.#closing === undefined && !this.#connection.isCut;
  }

  noticed(list: string, rows: readonly DueRow[]): void {
    if (this.#closing !== undefined) return;
    let settling = this.#settling.get(list);
    if (settling === undefined) {
      settling = new SettlingRows(this.options.clock, this.life.machine.time, (some) => this.#addSoon(list, some));
      this.#settling.set(list, settling);
    }
    settling.notice(rows);
  }

  start(work: DueWork): void {
    this.#work = work;
    this.server.runs(this);
    this.#timer = this.life.machine.time.every(SWEEP_EVERY, () => this.#look());
    this.#look();
  }

  clockMoved(): void {
    for (const list of this.#sweeps.keys()) this.#again.add(list);
    this.#look();
  }

  /** No simulated operator asks. */
  tried(): Promise<readonly TriedWork[] | undefined> {
    return Promise.resolve(undefined);
  }

  /** No simulated operator orders it. */
  retry(): void {
    // The pause of the row ends it.
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  take(job: Job, run: number): void {
    this.#connection.tell(() => {
      const work = this.#work;
      const name = `${job.list}/${job.key}`;
      if (work === undefined || this.#closing !== undefined || this.#running.has(name)) return;
      this.#running.set(
        name,
        this.#run(work, job, run).finally(() => this.#running.delete(name)),
      );
    });
  }

  isRunning({ list, key }: Job): boolean {
    return this.#running.has(`${list}/${key}`);
  }

  #addSoon(list: string, rows: readonly DueRow[]): void {
    for (const row of rows) {
      if (this.#waiting.size < MOST_WAITING) this.#waiting.set(`${list}/${row.key}`, { list, ...row });
    }
    if (!this.#adding) void this.#addWaiting();
  }

  async #run(work: DueWork, job: Job, number: number): Promise<void> {
    const { list, key } = job;
    let end: () => void;
    try {
      const run = await work.run(list, key);
      if (run.state === 'done') {
        end = () => this.server.fail(job, number, { error: STILL_OPEN, pause: pauseAfter(job.attempts + 1, 'done') });
      } else {
        end = () => {
          this.server.complete(job, number);
          const dueAt = run.state === 'later' ? run.dueAt : run.state === 'postponed' ? run.until : undefined;
          if (dueAt !== undefined) this.#connection.tell(() => this.noticed(list, [{ key, dueAt }]));
        };
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      end = () => this.server.fail(job, number, { error: reason, pause: pauseAfter(job.attempts + 1, 'failed') });
    }
    await this.#command(end).catch(() => undefined);
  }

  async #close(): Promise<void> {
    this.life.machine.time.cancel(this.#timer);
    for (const settling of this.#settling.values()) settling.close();
    this.server.leaves(this);
    await Promise.allSettled(this.#running.values());
    await Promise.all(this.#sweeps.values());
  }

  #look(): void {
    if (this.#work === undefined || this.#closing !== undefined) return;
    for (const name of this.#work.lists) {
      if (this.#sweeps.has(name)) continue;
      this.#sweeps.set(
        name,
        this.#sweep(this.#work, name).finally(() => this.#sweeps.delete(name)),
      );
    }
  }

  async #sweep(work: DueWork, name: string): Promise<void> {
    do {
      this.#again.delete(name);
      try {
        const { rows } = await work.due(name);
        if (rows.length > 0) await this.#command(() => this.#bringBack(name, rows));
      } catch (error) {
        if (!this.away) this.options.onError(error);
      }
    } while (this.#again.has(name) && this.#closing === undefined);
  }

  #bringBack(list: string, rows: readonly DueRow[]): void {
    for (const { key, dueAt } of rows) {
      const job = this.server.find(list, key);
      if (job === undefined) this.server.add(list, key, this.#delayOf(dueAt));
      else if (job.attempts === 0) this.server.promote(job);
    }
  }

  async #addWaiting(): Promise<void> {
    this.#adding = true;
    try {
      while (this.#waiting.size > 0 && this.#closing === undefined) {
        const rows = [...this.#waiting.values()];
        this.#waiting.clear();
        await this.#command(() => {
          for (const { list, key, dueAt } of rows) this.server.add(list, key, this.#delayOf(dueAt));
        });
      }
    } catch (error) {
      // The sweep finds these rows when they are due.
      this.#waiting.clear();
      if (!this.away) this.options.onError(error);
    } finally {
      this.#adding = false;
    }
  }

  #delayOf(dueAt: number): number {
    return Math.max(dueAt - this.options.clock.now(), 0);
  }

  /** @throws Unavailable if Redis is away, or does not answer in time */
  #command<T>(work: () => T): Promise<T> {
    const { time } = this.life.machine;
    return new Promise((resolve, reject) => {
      const timer = time.after(PATIENCE, () => reject(new Unavailable('Redis does not answer')));
      this.#connection
        .ask<T>((reply) => reply.value(work()))
        .then(resolve, reject)
        .finally(() => time.cancel(timer));
    });
  }
}
