import type { Instant, Position, Recorded } from '#kernel';
import type { Finding } from '../ports/finding.js';
import { Revisions } from '../findings/revisions.js';
import type { EventLogReader } from '../ports/event-log.js';
import type { Time } from '../ports/time.js';

/** Receives what the follower reads. */
export interface LogListener {
  /**
   * @param written when the log's server wrote the event, or a later event that came with it; undefined if the server does
   * not say
   */
  event(event: Recorded, written: Instant | undefined): void;
  /** The follower has delivered every event up to here. */
  reached(position: Position): void;
  /** A stream is not complete. */
  found?(finding: Finding): void;
  /** The follower could not read the log and will try again. */
  failed(error: unknown): void;
}

const BATCH = 1_000;
/** Milliseconds between two tries. */
const PAUSE = 500;

/**
 * Follows a shared log from its present end: events of other processes update what this one remembers (states of streams,
 * the test clock). No decision depends on it.
 */
export class LogFollower {
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #revisions = new Revisions();
  #position: Position;

  private constructor(
    private readonly log: EventLogReader,
    private readonly listener: LogListener,
    private readonly time: Time,
    head: Position,
  ) {
    this.#position = head;
    listener.reached(head);
    this.#running = this.#run();
  }

  /** Begins at the log's head, because everything that this process remembers is read later. */
  static async start(log: EventLogReader, listener: LogListener, time: Time): Promise<LogFollower> {
    return new LogFollower(log, listener, time, await log.head());
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        for await (const { events, written } of this.log.subscribe(this.#position, BATCH, this.#stop.signal)) {
          for (const event of events) {
            const finding = this.#revisions.check(event);
            if (finding !== undefined) this.listener.found?.(finding);
            this.listener.event(event, written);
          }
          this.#position = events.at(-1)?.position ?? this.#position;
          this.listener.reached(this.#position);
        }
      } catch (error) {
        this.listener.failed(error);
        await this.time.pause(PAUSE, { signal: this.#stop.signal });
      }
    }
  }
}
