import { namedOnce, type Position, type Recorded, type View } from '#kernel';
import { type Codec, type Unreadable, UnreadableEvent } from '../events/codec.js';
import { Unavailable } from '../errors.js';
import type { Finding } from '../ports/finding.js';
import { Continuity } from '../findings/continuity.js';
import { Revisions } from '../findings/revisions.js';
import type { EventLogReader } from '../ports/event-log.js';
import type { OrderOutcome, ProjectionOrder } from '../ports/projections.js';
import type { Time, Timer } from '../ports/time.js';
import { type RowChange, type ViewDamage, ViewDamaged, type ViewStore } from '../ports/view-store.js';
import type { Build, Generation } from './generation.js';
import { LogExtent } from './log-extent.js';
import { LogLacksEvents } from './log-lacks-events.js';
import { AdaptiveChunks } from './adaptive-chunks.js';
import { ProjectionOrders } from './projection-orders.js';
import type { DueRow, FedBatch, ProjectorReport } from '../ports/report.js';
import { Mutex } from './mutex.js';
import { Pace } from './pace.js';
import type { PaceSignals } from './pace-signals.js';
import { nextOf, type SeenBefore, StoredGenerations } from './stored-generations.js';
import { ViewAheadOfLog } from '../findings/view-ahead-of-log.js';
import type { ViewGenerations } from './view-generations.js';

const LIVE_BATCH = 5_000;
/** With nothing to feed meanwhile, a build reads large chunks: it writes each row once per chunk. */
const BUILD_BATCH = 50_000;
/** Beside live views a build reads chunks that delay them by some hundredths of a second. */
const BESIDE_BATCH = 2_000;
/** The target time of a chunk in milliseconds: orders and closing wait that long. */
const CHUNK = 300;
/** The same while there is nothing to feed. */
const BUILD_CHUNK = 2_000;
/** The shortest time between two reports of a build's progress, in milliseconds. */
const TELL_EVERY = 100;
/** Milliseconds between two checks whether the reported builds and speeds are still true. */
const PULSE = 1_000;
/** The longest time between two reports, in milliseconds, even if nothing happens. */
const SIGN_OF_LIFE = 4_000;

/**
 * Follows the log and keeps every view. The live generations share one subscription with the finished ones beside them. New
 * generations are built from the beginning and join when they have caught up. Only the checkpoints are kept: a projector may
 * be closed at any time, and another one, in another process, continues.
 */
export class Projector {
  readonly #log: EventLogReader;
  readonly #store: ViewStore;
  readonly #codec: Codec;
  readonly #defined: readonly View[];
  readonly #time: Time;
  readonly #report: (report: ProjectorReport, batch?: FedBatch) => void;
  readonly #notice: (text: string) => void;
  readonly #traced: boolean;
  readonly #dueRows: 'earliest' | 'all';
  readonly #found: (finding: Finding) => void;
  readonly #isMissingKnown: (finding: Finding) => boolean;
  readonly #stored: StoredGenerations;
  readonly #revisions = new Revisions();
  readonly #views = new Map<string, ViewGenerations>();
  readonly #orders: ProjectionOrders;
  readonly #mutex = new Mutex();
  readonly #pace: Pace;
  readonly #stop = new AbortController();
  #extent = new LogExtent(0n, 0);
  /** How far the generations have come that are fed together. */
  #seen: Position = 0n;
  /** Aborted when the fed generations change: their subscription begins again at the earliest checkpoint. */
  #joined = new AbortController();
  readonly #parts = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;
  #opening: Promise<void> = Promise.resolve();
  #running: Promise<void> | undefined;
  #pulse: Timer | undefined;
  #reportedAt = 0;
  #reportedSpeed = false;

  constructor(options: {
    readonly log: EventLogReader;
    readonly store: ViewStore;
    readonly codec: Codec;
    readonly views: readonly View[];
    /** What `seen` of the projector before says, if that one broke. */
    readonly seenBefore?: readonly SeenBefore[];
    readonly time: Time;
    /** Shared with the thread that appends and reads; absent if there is none. */
    readonly signals?: PaceSignals | undefined;
    readonly report: (report: ProjectorReport, batch?: FedBatch) => void;
    /** Whether `report` also gets each batch of the live views. */
    readonly traced?: boolean;
    /** Called with what operators should read in the service's log: a view that stopped, a skipped event. */
    readonly notice?: (text: string) => void;
    /** Which rows of work lists to report: the written one that is due first, or all that were written or removed. */
    readonly dueRows?: 'earliest' | 'all';
    /** Called with a contradiction to the claim that the log is whole and the views' own. */
    readonly found?: (finding: Finding) => void;
    /**
     * Whether to rebuild a view that has seen more than the log has, up to a position, because an operator accepted that.
     */
    readonly mayRebuild?: (finding: Finding, seen: Position) => boolean;
    /** Whether an operator accepted that the log lacks what a build found missing: then the build goes on. */
    readonly isMissingKnown?: (finding: Finding) => boolean;
  }) {
    this.#log = options.log;
    this.#store = options.store;
    this.#codec = options.codec;
    this.#defined = [...namedOnce('views', options.views, ({ name }) => name).values()];
    this.#time = options.time;
    this.#pace = new Pace(options.time, options.signals);
    this.#report = options.report;
    this.#notice = options.notice ?? (() => undefined);
    this.#traced = options.traced ?? false;
    this.#dueRows = options.dueRows ?? 'earliest';
    this.#found = options.found ?? (() => undefined);
    this.#isMissingKnown = options.isMissingKnown ?? (() => false);
    const { log, store, time, mayRebuild = () => false, seenBefore = [] } = options;
    this.#stored = new StoredGenerations({ log, store, time, mayRebuild, seenBefore, stop: this.#stop.signal });
    this.#orders = new ProjectionOrders({
      views: this.#views,
      store: this.#store,
      mutex: this.#mutex,
      seen: () => this.#seen,
      begin: (of) => this.#begin(of),
      build: (generation) => this.#build([generation]),
      rejoin: () => this.#joined.abort(),
      tell: (changed) => this.#tell(changed, {}),
      fail: (error) => this.#fail(error),
      notice: this.#notice,
      time: this.#time,
    });
  }

  /**
   * Opens every view and begins to follow. Drops what was built from another log. Builds a view that has no live generation
   * and promotes it when it has caught up. If the log lacks what a view has seen, it reports that, drops nothing and does
   * not run.
   */
  async start(): Promise<void> {
    this.#opening = this.#open();
    try {
      await this.#opening;
    } catch (error) {
      if (!(error instanceof ViewAheadOfLog)) throw error;
      this.#found(error.finding);
      return;
    }
    if (this.#stop.signal.aborted) return;
    this.#running = this.#run();
    this.#pulse = this.#time.every(PULSE, () => this.#beat()).unref();
    // A previous projector may have written rows and died before announcing them.
    this.#tell([...this.#views.keys()], {});
  }

  /**
   * Carries out an operator's order. A rebuild, resume or skip counts as done when it has begun.
   * @throws Unavailable if the projector does not run
   */
  async order(order: ProjectionOrder): Promise<OrderOutcome> {
    // An order may come while the projector opens the views.
    await this.#opening.catch(() => undefined);
    if (this.#running === undefined || this.#stop.signal.aborted) throw new Unavailable('the projector does not run');
    return this.#orders.carryOut(order);
  }

  /** A reader waits for events: they are written without a rest before. */
  hurry(): void {
    this.#pace.hurry();
  }

  /** Takes a reader's report that the stored rows of a generation cannot be read. */
  async damaged({ view, generation, reason }: ViewDamage): Promise<void> {
    await this.#opening.catch(() => undefined);
    const found = this.#views.get(view)?.find(generation);
    if (found === undefined || this.#stop.signal.aborted) return;
    await this.#mutex.run(async () => {
      await this.#replace(found, reason);
      this.#tell([view, ...(await this.#promoteAwaited())], {});
    });
  }

  /** Stops after the batch under way. `running` rejects with the reason of a failure. */
  async close(): Promise<void> {
    this.#halt();
    await this.#opening.catch(() => undefined);
    await this.#running?.catch(() => undefined);
    await this.#mutex.run(() => Promise.resolve());
    for (const { feed } of this.#all()) await feed.close();
    await this.#store.close();
  }

  /** Resolves when the projector ends; rejects when the log or the store fails. */
  get running(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /** How far each generation has come. The next projector goes on from there, because checkpoints may be older. */
  get seen(): readonly SeenBefore[] {
    return this.#all().flatMap(({ number, feed }) =>
      feed.seen === undefined ? [] : [{ view: feed.view.name, generation: number, ...feed.seen }],
    );
  }

  #all(): readonly Generation[] {
    return [...this.#views.values()].flatMap(({ list }) => list);
  }

  #fed(): readonly Generation[] {
    return this.#all().filter((each) => each.fed);
  }

  async #open(): Promise<void> {
    const head = await this.#log.head();
    const headTime = (await this.#log.eventAt(head))?.metadata.time ?? 0;
    this.#extent = new LogExtent(head, headTime, this.#log.countsBytes);
    for (const view of this.#defined) {
      if (this.#stop.signal.aborted) return;
      this.#views.set(view.name, await this.#stored.open(view));
    }
    for (const { feed } of this.#fed()) if (feed.position > this.#seen) this.#seen = feed.position;
    const unfinished = this.#all().filter((each) => !each.finished);
    // Generations that their views wait for read the log together; each of the others reads it alone.
    this.#build(unfinished.filter((each) => each.awaited));
    for (const each of unfinished) if (!each.awaited) this.#build([each]);
  }

  async #begin(of: ViewGenerations): Promise<Generation> {
    const generation = await this.#stored.begin(of);
    this.#build([generation]);
    return generation;
  }

  /** Follows, and builds beside that. If one part fails, the others end too, and this rejects when all have ended. */
  async #run(): Promise<void> {
    void this.#part(this.#follow());
    while (this.#parts.size > 0) await Promise.all(this.#parts);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** A part of the projector's work. It never rejects. */
  #part(work: Promise<void>): Promise<void> {
    const part = work.catch((error: unknown) => this.#fail(error)).finally(() => this.#parts.delete(part));
    this.#parts.add(part);
    return part;
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#halt();
  }

  #halt(): void {
    this.#time.cancel(this.#pulse);
    this.#stop.abort();
    this.#joined.abort();
    for (const { build } of this.#all()) build?.stop.abort();
  }

  #build(generations: readonly Generation[]): void {
    if (generations.length === 0) return;
    const stop = new AbortController();
    if (this.#stop.signal.aborted) stop.abort();
    const ended = this.#part(
      this.#catchUp(generations, stop.signal).catch((error: unknown) => {
        // A cancelled build may fail because of that.
        if (!stop.signal.aborted) throw error;
      }),
    );
    const build: Build = { stop, ended };
    for (const generation of generations) generation.build = build;
  }

  async #catchUp(generations: readonly Generation[], signal: AbortSignal): Promise<void> {
    let active = generations;
    let after = lowest(active);
    const alone = this.#fed().length === 0;
    const most = alone ? BUILD_BATCH : BESIDE_BATCH;
    const chunks = new AdaptiveChunks(most, alone ? BUILD_CHUNK : CHUNK, this.#time);
    const continuity = new Continuity(this.#log, after);
    for await (const { events: batch, caughtUp } of this.#log.subscribe(after, most, signal)) {
      for (const stored of chunks.of(batch)) {
        const decoded = this.#decoded(stored);
        const { events } = decoded;
        const lacking = await this.#lacking(continuity, stored);
        const unreadable = [...lacking, ...decoded.unreadable].toSorted(byPosition);
        for (const generation of active) {
          await this.#give(generation, events, unreadable);
          if (generation.stopped) {
            // From now on it belongs to nobody, until an order continues it.
            generation.build = undefined;
            active = active.filter((each) => each !== generation);
          }
          // Lets the live generations, orders and closing have their turn.
          await this.#time.turn();
          if (signal.aborted) return;
        }
        this.#extent.extend(after, stored);
        after = stored.at(-1)?.position ?? after;
        if (this.#time.monotonic() - this.#reportedAt >= TELL_EVERY) this.#tell([], {});
      }
      if (caughtUp || active.length === 0) break;
    }
    for (const generation of active) {
      if (signal.aborted) return;
      await generation.feed.finish();
      generation.finished = true;
    }
    await this.#mutex.run(async () => {
      if (signal.aborted) return;
      for (const generation of active) generation.build = undefined;
      this.#joined.abort();
      this.#tell(await this.#promoteAwaited(), {});
    });
  }

  /** What a build cannot take, because the log lacks something right before it. No more of such a log becomes a view. */
  async #lacking(continuity: Continuity, stored: readonly Recorded[]): Promise<readonly Unreadable[]> {
    for (const event of stored) {
      const checking = continuity.check(event);
      const finding = checking && (await checking);
      if (finding === undefined || this.#isMissingKnown(finding)) continue;
      // One without a stream would close the whole log: it only stops the build, which names it.
      if (finding.stream !== undefined) this.#found(finding);
      return [{ event, error: new LogLacksEvents(finding) }];
    }
    return [];
  }

  async #follow(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#joined = new AbortController();
      const signal = this.#joined.signal;
      const fed = this.#fed();
      this.#pace.sleeps();
      if (fed.length === 0) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        continue;
      }
      const going = fed.filter((each) => !each.stopped);
      let after = lowest(going.length === 0 ? fed : going);
      const chunks = new AdaptiveChunks(LIVE_BATCH, CHUNK, this.#time);
      for await (const { events, caughtUp } of this.#log.subscribe(after, LIVE_BATCH, signal)) {
        this.#pace.works();
        const began = this.#time.monotonic();
        for (const chunk of chunks.of(events)) {
          const from = after;
          await this.#mutex.run(async () => {
            // A generation that joined while this chunk waited would miss the events between.
            if (!signal.aborted) await this.#feed(from, chunk);
          });
          after = chunk.at(-1)?.position ?? after;
          if (signal.aborted) break;
          // Orders, closing and looks at the log's end have their turn, even if the log and the store never wait.
          if (!caughtUp || chunk.at(-1) !== events.at(-1)) await this.#time.turn();
        }
        if (signal.aborted) break;
        // Who is behind has no time to rest.
        if (caughtUp) await this.#pace.rest(events.length, this.#time.monotonic() - began, signal);
        this.#pace.sleeps();
      }
    }
  }

  async #feed(after: Position, stored: readonly Recorded[]): Promise<void> {
    const began = this.#traced ? this.#time.monotonic() : 0;
    for (const event of stored) {
      const finding = this.#revisions.check(event);
      if (finding !== undefined) this.#found(finding);
    }
    const { events, unreadable } = this.#decoded(stored);
    const changed: string[] = [];
    const due: Record<string, readonly DueRow[]> = {};
    const types = [...new Set(events.map(({ type }) => type))];
    for (const generation of this.#fed()) {
      // Most batches concern few of the views.
      if (unreadable.length === 0 && generation.passes(events, types)) continue;
      const changes = await this.#giveIntact(generation, events, unreadable);
      if (changes.length === 0 || !generation.live) continue;
      const { name } = generation.feed.view;
      changed.push(name);
      const rows = dueIn(generation.feed.view, changes, this.#dueRows);
      if (rows.length > 0) due[name] = this.#dueRows === 'all' ? rows : [earliest(rows)];
    }
    this.#extent.extend(after, stored);
    const last = events.at(-1)?.position ?? after;
    if (last > this.#seen) this.#seen = last;
    const took = this.#time.monotonic() - began;
    const batch = { after, upTo: last, events: events.length, views: changed.length, took };
    this.#tell([...changed, ...(await this.#promoteAwaited())], due, this.#traced ? batch : undefined);
  }

  async #give(
    generation: Generation,
    events: readonly Recorded[],
    unreadable: readonly Unreadable[],
  ): Promise<readonly RowChange[]> {
    const before = generation.feed.stopped;
    const changes = await generation.take(events, unreadable);
    const { stopped, view } = generation.feed;
    if (stopped !== undefined && stopped !== before) {
      this.#notice(
        `generation ${generation.number} of ${view.name} has stopped: ${stopped.message}: ${String(stopped.cause)}`,
      );
    }
    return changes;
  }

  /** The same for a fed generation. One whose stored rows cannot be read is replaced. */
  async #giveIntact(
    generation: Generation,
    events: readonly Recorded[],
    unreadable: readonly Unreadable[],
  ): Promise<readonly RowChange[]> {
    try {
      return await this.#give(generation, events, unreadable);
    } catch (error) {
      if (!(error instanceof ViewDamaged)) throw error;
      await this.#replace(generation, error.message);
      return [];
    }
  }

  /**
   * Drops a generation whose stored rows cannot be read. If its view needs it, the next best one takes its place, or the view
   * is built again. The caller has the mutex.
   */
  async #replace(generation: Generation, reason: string): Promise<void> {
    const { view } = generation.feed;
    const of = this.#views.get(view.name);
    if (of?.find(generation.number) !== generation) return;
    of.remove(generation);
    await generation.feed.close();
    await this.#store.drop(view, generation.number);
    const isNeeded = generation.live || generation.awaited;
    this.#notice(
      `${reason} and is removed${isNeeded ? `: the view ${view.name} is built again from the event log` : ''}`,
    );
    if (isNeeded) (nextOf(of) ?? (await this.#begin(of))).awaited = true;
  }

  /** Promotes generations that are ready in views without a live one; returns those views. */
  async #promoteAwaited(): Promise<readonly string[]> {
    const promoted: string[] = [];
    for (const of of this.#views.values()) {
      const ready = of.list.find((each) => each.awaited && each.state(this.#seen) === 'ready');
      if (ready === undefined) continue;
      await this.#store.promote(of.view, ready.number);
      of.nowLive(ready);
      promoted.push(of.view.name);
    }
    return promoted;
  }

  /** `unreadable`: events of types that only a newer build knows, and broken ones. Nobody can say what they mean to a view. */
  #decoded(stored: readonly Recorded[]): {
    readonly events: readonly Recorded[];
    readonly unreadable: readonly Unreadable[];
  } {
    const unreadable: Unreadable[] = [];
    const events = stored.map((event) => {
      try {
        return this.#codec.decode(event);
      } catch (error) {
        if (!(error instanceof UnreadableEvent)) throw error;
        unreadable.push({ event, error });
        return event;
      }
    });
    return { events, unreadable };
  }

  #beat(): void {
    const quiet = !this.#reportedSpeed && this.#all().every((each) => each.build === undefined);
    if (quiet && this.#time.monotonic() - this.#reportedAt < SIGN_OF_LIFE) return;
    // If the log cannot be asked now, the projector ends where it follows the log, not here.
    void this.#log.head().then(
      (head) => {
        this.#extent.reached(head);
        if (!this.#stop.signal.aborted) this.#tell([], {});
      },
      () => undefined,
    );
  }

  #tell(changed: readonly string[], due: ProjectorReport['due'], batch?: FedBatch): void {
    const views = [...this.#views.values()].map((of) => of.status(this.#extent, this.#seen));
    this.#reportedAt = this.#time.monotonic();
    this.#reportedSpeed = views.some(({ generations }) => generations.some((each) => each.eventsPerSecond > 0));
    this.#report(
      { views, head: this.#extent.head, eventsOfOthers: this.#log.eventsOfOthers ?? 0, changed, due },
      batch,
    );
  }
}

function byPosition({ event: one }: Unreadable, { event: other }: Unreadable): number {
  return one.position < other.position ? -1 : 1;
}

function lowest(generations: readonly Generation[]): Position {
  return generations.map(({ feed }) => feed.position).reduce((a, b) => (a < b ? a : b));
}

/** The written rows of a work list among these, and the removed ones if timers need all; none for another view. */
function dueIn({ fields }: View, changes: readonly RowChange[], wanted: 'earliest' | 'all'): readonly DueRow[] {
  if (!Object.hasOwn(fields, 'due_at')) return [];
  return changes.flatMap(({ key, row }) => {
    if (row === undefined) return wanted === 'all' ? [{ key, dueAt: Infinity }] : [];
    return 'due_at' in row && typeof row.due_at === 'number' ? [{ key, dueAt: row.due_at }] : [];
  });
}

function earliest(rows: readonly DueRow[]): DueRow {
  return rows.reduce((a, b) => (b.dueAt < a.dueAt ? b : a));
}
