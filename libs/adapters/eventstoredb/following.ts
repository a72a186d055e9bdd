import { setTimeout as pause } from 'node:timers/promises';
import type { Position, Recorded } from '#kernel';
import type { Batch } from '#eventsourcing';
import { NoEventThere, type Server, type ServerEvent } from './server.js';

/** Events per read while catching up; on EventStoreDB 23.10 larger pages are no faster. */
const PAGE = 4_000;
/** So many events of a live subscription wait for the reader; beyond that it is left, and the rest is read in pages. */
const LIVE_MOST = 4_000;
/** Between two tries, in milliseconds. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 2_000;

/** How the events of one log are known among everybody's. */
export interface Ours {
  readonly prefix: string;
  /** undefined for an event that is not the log's. */
  decode(event: ServerEvent): Recorded | undefined;
}

/**
 * Every event of ours after a position, for ever. Catches up by reads, whose pages wait for the reader, and then goes live:
 * reads include their position and subscriptions begin after it, so nothing is missed between them. When a subscription is
 * dropped (a burst, a slow reader, a server that restarts) it begins again at the last position that was handed out. Live,
 * `caughtUp` says that nothing more had come yet.
 * @throws NoEventThere when nothing begins at a position, as in another log
 */
export async function* follow(
  server: Server,
  ours: Ours,
  after: Position,
  max: number,
  signal: AbortSignal,
): AsyncGenerator<Batch, void, void> {
  let cursor = after;
  let told = false;
  let wait = FIRST_PAUSE;
  const ended = (): boolean => signal.aborted;
  while (!ended()) {
    const page = await pageAfter(server, cursor);
    if (ended()) return;
    if (page !== undefined) {
      // The server is there: a dropped subscription is normal, and nobody should wait for it long.
      wait = FIRST_PAUSE;
      const events = page.events.flatMap((event) => ours.decode(event) ?? []);
      for (let at = 0; at < events.length; at += max) {
        told = page.last && at + max >= events.length;
        yield { events: events.slice(at, at + max), caughtUp: told };
        if (ended()) return;
      }
      cursor = page.events.at(-1)?.position ?? cursor;
      if (!page.last) continue;
      if (!told) {
        told = true;
        yield { events: [], caughtUp: true };
      }
      const live = new Live(server, cursor, ours.prefix, signal);
      try {
        while (await live.any()) {
          const taken = live.take(max);
          const events = taken.flatMap((event) => ours.decode(event) ?? []);
          if (events.length > 0) {
            told = live.empty;
            yield { events, caughtUp: told };
          }
          cursor = taken.at(-1)?.position ?? cursor;
        }
      } finally {
        live.leave();
      }
    }
    await pause(wait, undefined, { signal }).catch(() => undefined);
    wait = Math.min(2 * wait, LONGEST_PAUSE);
  }
}

/** Everybody's events after a position; undefined when the log cannot be read now. */
async function pageAfter(
  server: Server,
  after: Position,
): Promise<{ readonly events: readonly ServerEvent[]; readonly last: boolean } | undefined> {
  try {
    const read = await server.readAll(after, PAGE);
    return { events: read.filter(({ position }) => position > after), last: read.length < PAGE };
  } catch (error) {
    if (error instanceof NoEventThere) throw error;
    return undefined;
  }
}

/** What a live subscription has brought and the reader has not taken yet. */
class Live {
  readonly #waiting: ServerEvent[] = [];
  #over = false;
  #wake: () => void = () => undefined;
  readonly leave: () => void;

  constructor(
    server: Server,
    after: Position,
    prefix: string,
    private readonly signal: AbortSignal,
  ) {
    const leave = server.subscribe(after, prefix, {
      event: (event) => {
        this.#waiting.push(event);
        if (this.#waiting.length >= LIVE_MOST) this.leave();
        this.#wake();
      },
      dropped: () => this.leave(),
    });
    const aborted = (): void => this.leave();
    this.leave = () => {
      leave();
      this.#over = true;
      signal.removeEventListener('abort', aborted);
      this.#wake();
    };
    signal.addEventListener('abort', aborted, { once: true });
  }

  /** Waits for events; false once there are none and none will come, or the reader is to end. */
  async any(): Promise<boolean> {
    if (this.empty && !this.#over) await new Promise<void>((resolve) => (this.#wake = resolve));
    return !this.empty && !this.signal.aborted;
  }

  take(max: number): readonly ServerEvent[] {
    return this.#waiting.splice(0, max);
  }

  get empty(): boolean {
    return this.#waiting.length === 0;
  }
}
