import { setTimeout as pause } from 'node:timers/promises';
import type { Instant, Position, Recorded, View } from '#kernel';
import type { Codec } from '../codec.js';
import type { EventLogReader } from '../ports/event-log.js';
import type { RowChange, ViewStore } from '../ports/view-store.js';
import { ViewFeed } from './view-feed.js';

/** Where one view stands. */
export interface ViewStatus {
  readonly view: string;
  readonly version: number;
  readonly position: Position;
  readonly state: 'building' | 'live' | 'stopped';
  readonly error: string | null;
}

/** What a step of the projector did. */
export interface ProjectorReport {
  readonly views: readonly ViewStatus[];
  readonly head: Position;
  /** The views whose rows changed. */
  readonly changed: readonly string[];
  /** Per work list, the earliest due time among the rows that were written. */
  readonly due: Readonly<Record<string, Instant>>;
}

const LIVE_BATCH = 5_000;
const BUILD_BATCH = 50_000;
/** So many events at once say that there is load. */
const LOAD_BATCH = 32;
/** Milliseconds in which events gather under load: a batch costs every view that it touches a transaction. */
const GATHER_FOR = 10;

/**
 * Follows the log and keeps every view. Live views share one subscription; new generations are built from the beginning
 * beside them, and join once they have caught up. The checkpoint is all that is remembered.
 */
export class Projector {
  readonly #log: EventLogReader;
  readonly #store: ViewStore;
  readonly #codec: Codec;
  readonly #views: readonly View[];
  readonly #report: (report: ProjectorReport) => void;
  readonly #stop = new AbortController();
  #live: ViewFeed[] = [];
  #building: ViewFeed[] = [];
  /** Aborted when a view joins the live ones: their subscription begins anew, at the earliest of their checkpoints. */
  #joined = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: {
    readonly log: EventLogReader;
    readonly store: ViewStore;
    readonly codec: Codec;
    readonly views: readonly View[];
    readonly report: (report: ProjectorReport) => void;
  }) {
    this.#log = options.log;
    this.#store = options.store;
    this.#codec = options.codec;
    this.#views = options.views;
    this.#report = options.report;
  }

  /** Opens every view and begins to follow. A view built from another log, or from one that was restored, is built anew. */
  async start(): Promise<void> {
    for (const view of this.#views) {
      const { writer, fresh } = await this.#store.openWriter(view, this.#log.identity);
      const checkpoint = fresh ? undefined : await writer.checkpoint();
      if (checkpoint !== undefined && !(await this.#isOurs(checkpoint))) {
        await writer.close();
        const anew = await this.#store.reset(view, this.#log.identity);
        this.#building.push(await ViewFeed.open(view, anew, this.#log.identity));
      } else {
        const feed = await ViewFeed.open(view, writer, this.#log.identity);
        (fresh ? this.#building : this.#live).push(feed);
      }
    }
    this.#running = this.#run();
  }

  /** Stops after the batch under way. What it failed of, `running` tells. */
  async close(): Promise<void> {
    this.#halt();
    await this.#running?.catch(() => undefined);
    for (const feed of [...this.#live, ...this.#building]) await feed.close();
    await this.#store.close();
  }

  /** Resolves when the projector ends; rejects when the log or the store fails. */
  get running(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /** Builds and follows at once; when one fails, the other ends too, and the failure is told once both have. */
  async #run(): Promise<void> {
    const parts = [this.#build(), this.#follow()];
    for (const part of parts) part.catch(() => this.#halt());
    const failed = (await Promise.allSettled(parts)).find((part) => part.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  #halt(): void {
    this.#stop.abort();
    this.#joined.abort();
  }

  async #isOurs(checkpoint: { position: Position; event: string }): Promise<boolean> {
    if (checkpoint.position === 0n) return true;
    const event = await this.#log.eventAt(checkpoint.position);
    return event?.id === checkpoint.event;
  }

  async #build(): Promise<void> {
    if (this.#building.length === 0) return;
    const head = await this.#log.head();
    for await (const { events, caughtUp } of this.#log.subscribe(0n, BUILD_BATCH, this.#stop.signal)) {
      await this.#feed(this.#building, events, head);
      if (caughtUp) break;
    }
    if (this.#stop.signal.aborted) return;
    for (const feed of this.#building) await feed.finish();
    this.#live = [...this.#live, ...this.#building];
    this.#building = [];
    this.#joined.abort();
    await this.#tell([], {});
  }

  async #follow(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#joined = new AbortController();
      const signal = this.#joined.signal;
      if (this.#live.length === 0) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        continue;
      }
      const after = this.#live.map((feed) => feed.position).reduce((a, b) => (a < b ? a : b));
      for await (const { events, caughtUp } of this.#log.subscribe(after, LIVE_BATCH, signal)) {
        await this.#feed(this.#live, events);
        if (signal.aborted) break;
        if (events.length >= LOAD_BATCH && caughtUp) await pause(GATHER_FOR);
      }
    }
  }

  async #feed(feeds: readonly ViewFeed[], stored: readonly Recorded[], head?: Position): Promise<void> {
    // A type of a newer build concerns no view of this one.
    const events = stored.map((event) => (this.#codec.knows(event.type) ? this.#codec.decode(event) : event));
    const changed: string[] = [];
    const due: Record<string, Instant> = {};
    for (const feed of feeds) {
      const changes = await feed.take(events);
      if (changes.length === 0) continue;
      changed.push(feed.view.name);
      const earliest = earliestDue(changes);
      if (earliest !== undefined) due[feed.view.name] = earliest;
    }
    await this.#tell(changed, due, head ?? events.at(-1)?.position);
  }

  async #tell(changed: readonly string[], due: Readonly<Record<string, Instant>>, head?: Position): Promise<void> {
    this.#report({
      views: [
        ...this.#live.map((feed) => statusOf(feed, 'live')),
        ...this.#building.map((feed) => statusOf(feed, 'building')),
      ],
      head: head ?? (await this.#log.head()),
      changed,
      due,
    });
  }
}

function statusOf(feed: ViewFeed, state: 'building' | 'live'): ViewStatus {
  return {
    view: feed.view.name,
    version: feed.view.version,
    position: feed.position,
    state: feed.stopped === undefined ? state : 'stopped',
    error: feed.stopped?.message ?? null,
  };
}

function earliestDue(changes: readonly RowChange[]): Instant | undefined {
  let earliest: Instant | undefined;
  for (const { row } of changes) {
    if (row === undefined || !('due_at' in row) || typeof row.due_at !== 'number') continue;
    if (earliest === undefined || row.due_at < earliest) earliest = row.due_at;
  }
  return earliest;
}
