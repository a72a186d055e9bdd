import type { Instant, Position, Recorded } from '#kernel';
import type { Finding } from './ownership/finding.js';
import { Revisions } from './ownership/revisions.js';
import type { EventLogReader } from './ports/event-log.js';
import type { Time } from './ports/time.js';

/** Who is told of what is heard. */
export interface LogListener {
  /** @param written when it was written, or a later one that came with it, by the log's own clock, where that is told */
  event(event: Recorded, written: Instant | undefined): void;
  /** Everything up to here was heard. */
  reached(position: Position): void;
  /** Something contradicts that a stream is whole. */
  found?(finding: Finding): void;
  /** The log could not be followed; it is tried again. */
  failed(error: unknown): void;
}

const BATCH = 1_000;
/** Milliseconds before a log that could not be followed is tried again. */
const PAUSE = 500;

/**
 * Follows the log from where it stands now, in a process that shares it with others: what they write reaches what this one
 * remembers (states of streams, the clock). Nothing that is decided rests on it.
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

  /** Begins at the log's head: what this process remembers is read later than that. */
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
