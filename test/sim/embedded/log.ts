import type { Position, Recorded } from '#kernel';
import {
  type Append,
  AppendOutcomeUnknown,
  type AppendResult,
  type Batch,
  checkAppend,
  checkBytes,
  jsonOf,
  LogFailed,
  type LogOwner,
  type LogRecord,
  type OwnedLog,
  type Page,
} from '#eventsourcing';
import { SyncedFile } from '../world/disk.js';
import type { Life } from '../world/life.js';
import type { LogData } from '../world/log-data.js';
import type { World } from '../world/world.js';

/** Milliseconds between two looks of a subscription; the embedded log looks more often, and here nothing is missed. */
const POLL_EVERY = 5_000;

/** The log of a whole service as a simulated file: the port of the embedded log, in one process. */
export class SimulatedFileLog implements OwnedLog {
  readonly countsBytes = false;
  readonly #file: SyncedFile;
  readonly #sleepers = new Set<() => void>();
  #closed = false;

  constructor(
    private readonly world: World,
    private readonly owner: Life,
    private readonly data: LogData,
    private readonly on: {
      readonly appended: () => void;
      readonly failed: (error: Error) => void;
      readonly hindered: (reason: string | undefined) => void;
    },
  ) {
    let isFull = false;
    this.#file = new SyncedFile(
      world,
      owner,
      'events.db',
      {
        failed: () => new LogFailed('the event log takes no more appends (a sync failed)'),
        full: () => new AppendOutcomeUnknown('there is no room for the event log'),
      },
      {
        failed: (error) => on.failed(error),
        full: (is) => {
          if (is !== isFull) on.hindered(is ? 'there is no room for the event log' : undefined);
          isFull = is;
        },
      },
    );
  }

  get identity(): string {
    return this.data.identity;
  }

  async append(list: readonly [Append, ...Append[]]): Promise<readonly AppendResult[]> {
    if (this.#closed) throw new Error('the event log is closed');
    for (const each of list) {
      checkAppend(each);
      checkBytes(each.stream, each.events.map(jsonOf));
    }
    const results = this.#file.write(() => this.data.append(list));
    results.then(
      () => {
        this.#wake();
        this.on.appended();
      },
      () => this.#wake(),
    );
    return results;
  }

  async readStream(stream: string, from: number, max: number): Promise<Page> {
    return this.data.read(stream, from, max);
  }

  async head(): Promise<Position> {
    return this.data.head;
  }

  async eventAt(position: Position): Promise<Recorded | undefined> {
    return this.data.at(position);
  }

  async *subscribe(after: Position, max: number, signal: AbortSignal): AsyncGenerator<Batch, void, void> {
    let last = after;
    let first = true;
    while (!signal.aborted && !this.#closed) {
      const events = this.data.after(last, max);
      last = events.at(-1)?.position ?? last;
      if (events.length > 0 || first) yield { events, caughtUp: last === this.data.head };
      else await this.#sleep(signal);
      first = false;
    }
  }

  async record(): Promise<LogRecord> {
    return { identity: this.data.identity, owner: this.data.owner };
  }

  own(before: LogOwner | undefined, owner: LogOwner): Promise<boolean> {
    return this.#file.write(() => {
      if (JSON.stringify(this.data.owner) !== JSON.stringify(before)) return false;
      this.data.owner = owner;
      return true;
    });
  }

  /** Makes its subscriptions look immediately. */
  notify(): void {
    this.#wake();
  }

  crash(): void {
    this.#file.crash();
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    return Promise.resolve();
  }

  #wake(): void {
    for (const wake of this.#sleepers) wake();
  }

  #sleep(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const { scheduler } = this.world;
      let woken = false;
      const wake = (): void => {
        if (woken) return;
        woken = true;
        scheduler.cancel(timer);
        signal.removeEventListener('abort', wake);
        this.#sleepers.delete(wake);
        // A message to another thread.
        scheduler.after(0.05, resolve, this.owner);
      };
      const timer = scheduler.after(POLL_EVERY, wake, this.owner);
      signal.addEventListener('abort', wake, { once: true });
      this.#sleepers.add(wake);
    });
  }
}
