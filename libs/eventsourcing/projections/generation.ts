import type { Unreadable } from '../events/codec.js';
import type { Position, Recorded } from '#kernel';
import type { Time } from '../ports/time.js';
import type { RowChange } from '../ports/view-store.js';
import { EventRate } from './event-rate.js';
import type { LogExtent } from './log-extent.js';
import type { GenerationStatus } from '../ports/report.js';
import type { ViewFeed } from './view-feed.js';

/** A build: it reads the log beside the live generations. */
export interface Build {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** One generation of a view in the projector. */
export class Generation {
  finished: boolean;
  live: boolean;
  /** It is promoted as soon as it is ready, because its view has no live generation. */
  awaited = false;
  /** Its own way through the log, until it is fed together with the live generations. */
  build: Build | undefined;
  readonly #rate: EventRate;

  constructor(
    readonly number: number,
    readonly feed: ViewFeed,
    { finished, live }: { readonly finished: boolean; readonly live: boolean },
    private readonly time: Time,
  ) {
    this.#rate = new EventRate(time.monotonic());
    this.finished = finished;
    this.live = live;
  }

  /** Whether it follows the log together with the live generations. */
  get fed(): boolean {
    return this.finished && this.build === undefined;
  }

  get stopped(): boolean {
    return this.feed.stopped !== undefined;
  }

  /** As `take`, if none of the events concerns the view. @returns whether that is so */
  passes(events: readonly Recorded[], types: readonly string[]): boolean {
    const before = this.feed.taken;
    const passes = this.feed.passes(events, types);
    if (passes) this.#rate.took(this.feed.taken - before, this.time.monotonic());
    return passes;
  }

  async take(events: readonly Recorded[], unreadable?: readonly Unreadable[]): Promise<readonly RowChange[]> {
    const before = this.feed.taken;
    const changes = await this.feed.take(events, unreadable);
    this.#rate.took(this.feed.taken - before, this.time.monotonic());
    return changes;
  }

  /** @param seen how far the generations have come that are fed together */
  state(seen: Position): GenerationStatus['state'] {
    if (this.stopped) return 'stopped';
    if (this.live) return 'live';
    return this.fed && this.feed.position >= seen ? 'ready' : 'building';
  }

  status(extent: LogExtent, seen: Position): GenerationStatus {
    const { position, stopped } = this.feed;
    const state = this.state(seen);
    const eventsPerSecond = this.#rate.perSecond(this.time.monotonic());
    const left = extent.eventsAfter(position);
    const tellable = state === 'building' && eventsPerSecond > 0 && left !== null;
    return {
      number: this.number,
      state,
      position,
      progress: position >= extent.head ? 1 : Number(position) / Number(extent.head),
      eventsPerSecond,
      timeLeft: tellable ? Math.ceil(left / eventsPerSecond) : null,
      error: stopped?.message ?? null,
    };
  }
}
