import type { Instant, Position, Recorded, View } from '#kernel';
import type { Finding } from '../ports/finding.js';
import type { EventLogReader } from '../ports/event-log.js';
import type { Time } from '../ports/time.js';
import type { Checkpoint, ViewStore } from '../ports/view-store.js';
import { Generation } from './generation.js';
import { BEHIND_FOR, knownEventAt } from '../events/known-event.js';
import { aheadOfLogFinding, ViewAheadOfLog } from '../findings/view-ahead-of-log.js';
import { type SeenByFeed, ViewFeed } from './view-feed.js';
import { ViewGenerations } from './view-generations.js';

/** How far a generation of a view had come when its projector broke. */
export interface SeenBefore extends SeenByFeed {
  readonly view: string;
  readonly generation: number;
}

/** What the generations need. */
interface Options {
  readonly log: EventLogReader;
  readonly store: ViewStore;
  readonly time: Time;
  /** Whether to rebuild a view that has seen more than the log has, up to a position. */
  readonly mayRebuild: (finding: Finding, seen: Position) => boolean;
  /** From the projector before in this process. */
  readonly seenBefore: readonly SeenBefore[];
  /** Aborted when the projector ends. */
  readonly stop: AbortSignal;
}

/** The generations in the store: opens those that fit the log, and begins new ones. */
export class StoredGenerations {
  /** All views wait together, once: a log that lacks what one view has seen lacks what the others have seen. */
  #waitsUntil: number | undefined;

  constructor(private readonly options: Options) {}

  /**
   * Opens a view's generations. Without a live one, it names or begins the one that the view waits for.
   * @throws ViewAheadOfLog if the log lacks what the view has seen, and no operator has accepted that
   */
  async open(view: View): Promise<ViewGenerations> {
    const { log, store, time } = this.options;
    const of = new ViewGenerations(view, []);
    for (const info of await store.generations(view, log.identity)) {
      const seenAt = await this.#timeAt(view, info.checkpoint);
      if (seenAt === undefined) {
        await store.drop(view, info.number);
        continue;
      }
      const writer = await store.open(view, info.number);
      const feed = await ViewFeed.open(view, writer, log.identity, seenAt);
      await this.#goOn(feed, info.number);
      of.add(new Generation(info.number, feed, info, time));
    }
    if (of.live !== undefined) return of;
    (nextOf(of) ?? (await this.begin(of))).awaited = true;
    return of;
  }

  /** Begins a generation of a view, which has seen nothing. */
  async begin(of: ViewGenerations): Promise<Generation> {
    const { log, store, time } = this.options;
    const { number, writer } = await store.begin(of.view, log.identity);
    const feed = await ViewFeed.open(of.view, writer, log.identity);
    const generation = new Generation(number, feed, { finished: false, live: false }, time);
    of.add(generation);
    return generation;
  }

  /**
   * A view that no event touches seldom writes its checkpoint. So a projector that starts again would report less than was
   * reported, and readers would wait for it; for long, if it cannot write. An older copy of rows or log is no longer what the
   * projector before had seen: then only the stored checkpoint counts.
   */
  async #goOn(feed: ViewFeed, generation: number): Promise<void> {
    const { log, seenBefore } = this.options;
    const before = seenBefore.find((each) => each.view === feed.view.name && each.generation === generation);
    const event = before && (await log.eventAt(before.last.position));
    if (before !== undefined && event !== undefined) feed.goOnFrom(before, event);
  }

  /**
   * Our time of the event at a checkpoint; undefined if this log does not have the event and an operator has accepted that.
   * @throws ViewAheadOfLog if no operator has
   */
  async #timeAt(view: View, checkpoint: Checkpoint | undefined): Promise<Instant | undefined> {
    if (checkpoint === undefined || checkpoint.position === 0n) return 0;
    const event = await this.#eventAt(checkpoint.position);
    if (event?.id === checkpoint.event) return event.metadata.time;
    const finding = aheadOfLogFinding(`the view ${view.name}`, checkpoint, event?.id);
    if (this.options.mayRebuild(finding, checkpoint.position)) return undefined;
    throw new ViewAheadOfLog(finding);
  }

  /** The event at a position; waits for it if the log is only behind. */
  #eventAt(position: Position): Promise<Recorded | undefined> {
    const { log, time, stop } = this.options;
    return knownEventAt(log, position, {
      time,
      stop,
      until: () => (this.#waitsUntil ??= time.monotonic() + BEHIND_FOR),
    });
  }
}

/** The generation to read if none is live: the newest finished one, otherwise the newest. */
export function nextOf({ list }: ViewGenerations): Generation | undefined {
  return list.findLast((each) => each.finished) ?? list.at(-1);
}
