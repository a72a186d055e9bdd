import type { Position, Recorded } from '#kernel';
import { type Batch, PAGE_BYTES, type Time, type Timer } from '#eventsourcing';
import type { Server, ServerEvent, Subscriber, Subscription } from './server.js';

/** The most events that wait for the reader; their bytes are `PAGE_BYTES`. The server is then paused, and continues at half of it. */
const WAITING_MOST = 4_000;
/** A reader that is far behind gets batches: events are collected for this long after the first one, in milliseconds. */
const GATHER_FOR = 100;
/** The first pause between two tries, in milliseconds. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 1_000;

/** What following a log among other applications' events needs. */
export interface Followed {
  /** The beginnings of the names of its streams, and of those that hold their metadata. */
  readonly names: readonly string[];
  /** Selects the log's events. @throws Error if this build cannot know whether one is ours */
  pick(events: readonly ServerEvent[]): Promise<readonly Recorded[]>;
  /**
   * Waits until the log can be followed after this position; called before every subscription.
   * @param id of the event that was read there; undefined if unknown
   * @throws Error if another event is there, or none
   */
  stands(position: Position, id: string | undefined, signal: AbortSignal): Promise<void>;
  /**
   * Where the search for events after a position may begin, if everything between is others', and the log has what was found
   * there; undefined if nothing more is known.
   * @param id of the event that was read at the position; undefined if unknown
   */
  begins?(position: Position, id: string | undefined): Promise<Position | undefined>;
  /** The position of our last event before others' that were searched; undefined if there are none. */
  lastBeforeOthers?(): Position | undefined;
  /** Called when a subscription broke. */
  broken(): void;
  /** Called when the server refuses; it is asked again. */
  refused(error: unknown): void;
  readonly time: Time;
}

/**
 * Every event of ours after a position, for ever, by subscriptions that the server filters: other applications' events
 * neither come nor cost. A dropped subscription (a slow reader, a server that restarts, a change of leader) begins again at
 * the last delivered position, after a check that it still has the same event. One that a burst dropped needs neither pause
 * nor check: it goes on at once, over the connection that has just brought events.
 */
export async function* follow(
  server: Pick<Server, 'subscribe'>,
  followed: Followed,
  after: Position,
  max: number,
  signal: AbortSignal,
): AsyncGenerator<Batch, void, void> {
  let cursor = after;
  let last: string | undefined;
  let reportedCaughtUp = false;
  let wait = FIRST_PAUSE;
  const ended = (): boolean => signal.aborted;
  while (!ended()) {
    const searched = await followed.begins?.(cursor, last);
    // What was searched beyond it proves the position, too.
    if (searched === undefined) await followed.stands(cursor, last, signal);
    if (ended()) return;
    const live = new Live(server, searched ?? cursor, followed, signal);
    try {
      while (await live.any(max)) {
        // The server is there. Dropped subscriptions are normal, and nobody should wait long for a new one.
        wait = FIRST_PAUSE;
        const taken = live.take(max);
        const events = await followed.pick(taken);
        const { caughtUp } = live;
        if (events.length > 0 || (caughtUp && !reportedCaughtUp)) {
          reportedCaughtUp = caughtUp;
          yield batchOf(events, taken, caughtUp);
        }
        const newest = events.at(-1);
        if (newest !== undefined) [cursor, last] = [newest.position, newest.id];
      }
    } finally {
      live.leave();
    }
    if (ended()) return;
    const isAtOthers = live.ended === 'at others' && cursor === followed.lastBeforeOthers?.();
    if (isAtOthers || (live.ended === 'too slow' && live.hasDelivered)) continue;
    if (live.ended === 'broke') followed.broken();
    if (live.ended === 'refused') followed.refused(live.error);
    await followed.time.pause(wait, { signal });
    // oxlint-disable-next-line no-useless-assignment -- the next round may pause
    wait = Math.min(2 * wait, LONGEST_PAUSE);
  }
}

function batchOf(events: readonly Recorded[], taken: readonly ServerEvent[], caughtUp: boolean): Batch {
  const written = taken.at(-1)?.created;
  return written === undefined || events.length === 0 ? { events, caughtUp } : { events, caughtUp, written };
}

/** What a live subscription has received and the reader has not taken yet. */
class Live {
  readonly #waiting: ServerEvent[] = [];
  /** The bytes of what waits. */
  #bytes = 0;
  #subscription: Subscription;
  /** The last event that the present subscription has brought. */
  #last: Position | undefined;
  #paused = false;
  #caughtUp = false;
  /** It has caught up, and the reader does not know yet. */
  #news = false;
  #over = false;
  /** How many events are worth waking the reader. */
  #wanted = 1;
  #wake: () => void = () => undefined;
  /** Why it ended; undefined if its reader left. */
  ended: Parameters<Subscriber['dropped']>[0] | 'at others' | undefined;
  error: unknown;
  readonly leave: () => void;

  constructor(
    private readonly server: Pick<Server, 'subscribe'>,
    after: Position,
    private readonly followed: Pick<Followed, 'names' | 'time' | 'lastBeforeOthers'>,
    private readonly signal: AbortSignal,
  ) {
    this.#subscription = this.#begin(after);
    this.leave = () => {
      this.#subscription.leave();
      this.#over = true;
      signal.removeEventListener('abort', this.leave);
      this.#wake();
    };
    signal.addEventListener('abort', this.leave, { once: true });
  }

  /** Whether the last subscription has brought any event. */
  get hasDelivered(): boolean {
    return this.#last !== undefined;
  }

  /** Waits for something to take; false if nothing will come or the reader must end. */
  async any(max: number): Promise<boolean> {
    if (this.#waiting.length === 0 && !this.#news && !this.#over) await this.#woken(1);
    const enough = Math.min(max, WAITING_MOST);
    if (!this.#caughtUp && !this.#over && !this.#paused && this.#waiting.length < enough)
      await this.#woken(enough, GATHER_FOR);
    return (this.#waiting.length > 0 || this.#news) && !this.signal.aborted;
  }

  take(max: number): readonly ServerEvent[] {
    let [count, bytes] = [0, 0];
    for (; count < max && bytes < PAGE_BYTES && count < this.#waiting.length; count += 1)
      bytes += this.#waiting[count]?.bytes ?? 0;
    const taken = this.#waiting.splice(0, count);
    this.#bytes -= bytes;
    if (this.#waiting.length === 0) this.#news = false;
    if (this.#paused && this.#waiting.length <= WAITING_MOST / 2 && this.#bytes <= PAGE_BYTES / 2) {
      this.#paused = false;
      this.#subscription.resume();
    }
    return taken;
  }

  /** Whether nothing more had come when the reader last took events. */
  get caughtUp(): boolean {
    return this.#caughtUp && this.#waiting.length === 0;
  }

  #begin(after: Position): Subscription {
    return this.server.subscribe(after, this.followed.names, {
      event: (event) => {
        this.#last = event.position;
        this.#waiting.push(event);
        this.#bytes += event.bytes ?? 0;
        if (!this.#caughtUp && event.position === this.followed.lastBeforeOthers?.()) {
          // At once: others' events that are under way already are read for nothing.
          this.ended = 'at others';
          this.leave();
          return;
        }
        if (this.#waiting.length >= WAITING_MOST || this.#bytes >= PAGE_BYTES) this.#pause();
        if (this.#waiting.length >= this.#wanted || this.#paused) this.#wake();
      },
      caughtUp: () => {
        this.#caughtUp = this.#news = true;
        this.#wake();
      },
      dropped: (why, error) => {
        // A paused one could not see that the server confirms its new beginning.
        if (why === 'too slow' && this.#last !== undefined && !this.#paused) {
          this.#goOn(this.#last);
          return;
        }
        [this.ended, this.error] = [why, error];
        this.leave();
      },
    });
  }

  /** Subscribes again, at once: later, another server might be behind the connection, and would have to be checked. */
  #goOn(after: Position): void {
    this.#last = undefined;
    this.#caughtUp = false;
    this.#subscription = this.#begin(after);
  }

  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#subscription.pause();
  }

  async #woken(wanted: number, within?: number): Promise<void> {
    this.#wanted = wanted;
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (within !== undefined) timer = this.followed.time.after(within, resolve);
    });
    this.followed.time.cancel(timer);
  }
}
