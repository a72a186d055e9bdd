import type { Queue } from 'bullmq';
import { thisMachine } from '#adapters/machine';
import type { Clock, DueRow, DueWork, Time, Timer, TriedWork, WorkTimers } from '#eventsourcing';
import { RedisConnections } from './redis-connections.js';
import { WorkQueue } from './work-queue.js';

/** Milliseconds between two looks at what is due: a row that Redis has lost may wait that long. */
const SWEEP_EVERY = 5_000;
/** Milliseconds between two reported errors: a fault of Redis concerns every job. */
const TELL_EVERY = 10_000;

export interface BullMqTimersOptions {
  /** `redis://[user:password@]host:port[/database]`, or `rediss://…`. */
  readonly url: string;
  /** The beginning of all keys, so that several installations may share a Redis. */
  readonly prefix: string;
  readonly clock: Clock;
  /** The names of all work lists. */
  readonly lists: readonly string[];
  /**
   * Called when a list could not be read or Redis refused something; both are tried again. Reports at most one error in ten
   * seconds.
   */
  readonly onError: (error: unknown) => void;
  /** Called when Redis goes away. */
  readonly away: (message: string) => void;
  /** Called when Redis is back, or is not set up as it should be. */
  readonly warn: (message: string) => void;
  /** This machine's by default. */
  readonly time?: Time;
}

/**
 * Timers in Redis, for any number of processes. Each work list has its own queue of jobs, so no list waits for another.
 * Redis is only a cache of jobs; it can be emptied at any time. Every worker looks every few seconds at what is due and adds
 * jobs for rows without one; if two workers find the same row, both make the same job id.
 */
export class BullMqTimers implements WorkTimers {
  readonly wants = 'all';
  readonly #lists: ReadonlyMap<string, WorkQueue>;
  readonly #time: Time;
  readonly #sweeps = new Map<string, Promise<void>>();
  /** Lists to read again when the present read ends. */
  readonly #again = new Set<string>();
  #timer: Timer | undefined;
  #work: DueWork | undefined;
  #toldAt = -Infinity;
  #closing: Promise<void> | undefined;

  private constructor(
    private readonly redis: RedisConnections,
    private readonly options: BullMqTimersOptions,
  ) {
    const { prefix, clock, time = thisMachine.time } = options;
    this.#time = time;
    const onError = (error: unknown): void => this.#tell(error);
    this.#lists = new Map(
      options.lists.map((list) => [list, new WorkQueue({ list, prefix, redis, clock, time, onError })] as const),
    );
  }

  /** @throws Error with a message that names REDIS_URL if Redis does not answer or refuses the login */
  static async open(options: BullMqTimersOptions): Promise<BullMqTimers> {
    const back = { now: (): void => undefined };
    const redis = await RedisConnections.open(options.url, {
      away: options.away,
      warn: options.warn,
      back: () => back.now(),
    });
    const timers = new BullMqTimers(redis, options);
    back.now = () => timers.clockMoved();
    return timers;
  }

  /** Whether Redis is away: what is due waits until it is back. */
  get away(): boolean {
    return !this.redis.up;
  }

  /** The queue of each list, for the operators' board. */
  get queues(): readonly Queue[] {
    return [...this.#lists.values()].map(({ queue }) => queue);
  }

  noticed(list: string, rows: readonly DueRow[]): void {
    this.#lists.get(list)?.notice(rows);
  }

  start(work: DueWork): void {
    this.#work = work;
    for (const list of this.#lists.values()) list.start(work);
    this.#timer = this.#time.every(SWEEP_EVERY, () => this.#look()).unref();
    this.#look();
  }

  clockMoved(): void {
    for (const list of this.#sweeps.keys()) this.#again.add(list);
    this.#look();
  }

  async tried(list: string, keys: readonly string[]): Promise<readonly TriedWork[] | undefined> {
    try {
      return await this.#lists.get(list)?.tried(keys);
    } catch (error) {
      this.#tell(error);
      return undefined;
    }
  }

  retry(list: string, key: string): void {
    this.#lists
      .get(list)
      ?.retry(key)
      .catch((error: unknown) => this.#tell(error));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#time.cancel(this.#timer);
    await Promise.all([...this.#lists.values()].map((list) => list.close()));
    await Promise.all(this.#sweeps.values());
    this.redis.close();
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
        await this.#lists.get(name)?.bringBack(rows);
      } catch (error) {
        this.#tell(error);
      }
    } while (this.#again.has(name) && this.#closing === undefined);
  }

  /** `away` has already reported that Redis is away. */
  #tell(error: unknown): void {
    const now = this.#time.monotonic();
    if (!this.redis.up || now < this.#toldAt + TELL_EVERY) return;
    this.#toldAt = now;
    this.options.onError(withoutCommand(error));
  }
}

/** The error without the refused command: of a login it holds the password, of a job its content. */
function withoutCommand(error: unknown): unknown {
  if (error instanceof Error && 'command' in error) delete error.command;
  return error;
}
