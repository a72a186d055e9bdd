import { thisMachine } from '#adapters/machine';
import type { Position, Recorded } from '#kernel';
import {
  type Batch,
  type EventLogReader,
  type Finding,
  type LogRecord,
  LogUnusable,
  type Page,
  type SearchedLog,
  type Time,
  Unavailable,
} from '#eventsourcing';
import { Denied, isAnswer, isDenied } from './answers.js';
import { ServerConnection } from './client.js';
import { follow } from './following.js';
import type { KnownRecord } from './identity.js';
import { LogQuestions } from './log-questions.js';
import { examined, existsOn, type LogSearch, logOn } from './opening.js';
import type { EventStoreDbOptions } from './options.js';
import { OwnStreams } from './own-streams.js';
import { NoEventThere, type Server, type ServerEvent } from './server.js';
import { StreamWatch } from './stream-watch.js';

/** The shortest time between two reports of failed calls, in milliseconds. */
const TELL_EVERY = 5_000;
/** Milliseconds between two looks at a log that cannot be read now. */
const LOOK_AGAIN = 250;
/** The same if the server refuses: it will until an operator changes something. */
const ASK_AGAIN = 2_000;

/**
 * Reads a log on EventStoreDB over a connection of the calling thread. A position is the commit position of an event. A call
 * that the server does not answer throws Unavailable; subscriptions try again.
 */
export class EventStoreDbLogReader implements EventLogReader {
  readonly countsBytes = true;
  readonly #closing = new AbortController();
  readonly #ours: OwnStreams;
  readonly #watch: StreamWatch;
  readonly #questions: LogQuestions;
  readonly #time: Time;
  #toldAt = -Infinity;
  /** The record that was found last. */
  #known: KnownRecord | undefined;

  private constructor(
    readonly identity: string,
    private readonly server: Server,
    private readonly options: EventStoreDbOptions,
    /** See `OwnedLog`. */
    readonly notBegun: Finding | undefined,
  ) {
    this.#time = (options.machine ?? thisMachine).time;
    this.#ours = new OwnStreams(options.prefix ?? '', options.categories);
    this.#watch = new StreamWatch(
      server,
      this.#ours,
      { ...options, onError: (error) => this.tell(error) },
      this.#closing.signal,
    );
    const { place } = options;
    this.#known = place && { identity, place };
    this.#questions = new LogQuestions(server, this.#ours, () => this.#known, options.searched, this.#watch);
  }

  /** @throws Unavailable with a message for operators if the server does not answer; TypeError for a bad setting */
  static async open(options: EventStoreDbOptions): Promise<EventStoreDbLogReader> {
    const server = new ServerConnection(options.url, options.machine);
    try {
      return await EventStoreDbLogReader.on(server, examined(options));
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /**
   * Whether there is a log, by its record or by any of its events; writes nothing. Without a record it searches all events of
   * the server, which may take long.
   * @throws Unavailable | LogUnusable
   */
  static async exists(options: LogSearch): Promise<boolean> {
    const server = new ServerConnection(options.url, options.machine);
    try {
      return await existsOn(server, examined(options));
    } finally {
      await server.close();
    }
  }

  /** Uses an existing connection, and closes it with the reader. */
  static async on(server: Server, options: EventStoreDbOptions): Promise<EventStoreDbLogReader> {
    const { identity, place, notBegun } = await logOn(server, options);
    return new EventStoreDbLogReader(identity, server, { ...options, place }, notBegun);
  }

  /** The log's present record. @throws Unavailable | LogUnusable */
  async record(): Promise<LogRecord | undefined> {
    const found = await this.available(() => this.#questions.record());
    if (found?.place !== undefined && found.identity === this.identity) this.#known = { ...found, place: found.place };
    return found;
  }

  /** How far the log was searched for its last event. */
  get searched(): SearchedLog | undefined {
    return this.#questions.searched;
  }

  /** What is known of the record, for those who ask over another connection. */
  get known(): KnownRecord | undefined {
    return this.#known;
  }

  /** Events of others that the server has sent to this reader since it was opened. */
  get eventsOfOthers(): number {
    return this.#watch.eventsOfOthers;
  }

  async readStream(stream: string, from: number, max: number): Promise<Page> {
    if (max <= 0) return [];
    return this.available(() => this.#watch.readStream(stream, from, max));
  }

  /** Whether a setting of the server now removes events from the stream. @throws Unavailable */
  isCut(stream: string): Promise<boolean> {
    return this.available(() => this.#watch.isCut(stream));
  }

  /** Whether a stream was deleted for ever. @throws Unavailable */
  isDeleted(stream: string): Promise<boolean> {
    return this.available(() => this.#watch.isDeleted(stream));
  }

  isOthers(stream: string): Promise<boolean> {
    return this.available(() => this.#watch.isOthers(stream));
  }

  head(): Promise<Position> {
    return this.available(() => this.#questions.head());
  }

  eventAt(position: Position): Promise<Recorded | undefined> {
    return this.available(() => this.#questions.eventAt(position));
  }

  subscribe(after: Position, max: number, signal: AbortSignal): AsyncIterable<Batch> {
    const followed = {
      names: this.#ours.watchedPrefixes,
      pick: (events: readonly ServerEvent[]) => this.#watch.pick(events),
      stands: (position: Position, id: string | undefined, until: AbortSignal) => this.#stands(position, id, until),
      begins: (position: Position, id: string | undefined) => this.#searchedAfter(position, id),
      lastBeforeOthers: () => {
        const { head = 0n, end = 0n } = this.#searched ?? {};
        return end > head ? head : undefined;
      },
      broken: () => this.options.onBroken?.(),
      refused: (error: unknown) => this.tell(error),
      time: this.#time,
    };
    return follow(this.server, followed, after, max, AbortSignal.any([signal, this.#closing.signal]));
  }

  /** Reports a failed call to the operators' log; of many in a row only one. */
  tell(error: unknown): void {
    if (this.#time.monotonic() - this.#toldAt < TELL_EVERY) return;
    this.#toldAt = this.#time.monotonic();
    this.options.onError?.(error);
  }

  /** Ends the subscriptions and the connection. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.server.close();
  }

  get #searched(): SearchedLog | undefined {
    return this.#questions.searched ?? this.options.searched;
  }

  /** Where the search for events after this one may begin: nothing of ours is between. Undefined if nothing more is known. */
  async #searchedAfter(position: Position, last: string | undefined): Promise<Position | undefined> {
    const { began = 0n } = this.#known?.place ?? {};
    const { head = -1n, id, end = 0n, endId } = this.#searched ?? {};
    try {
      if (position === 0n && began > 0n) return (await this.#questions.anyAt(began)) && began;
      if (position !== head || end <= head || (last ?? id) !== id) return undefined;
      return (await this.#questions.anyAt(end))?.id === endId ? end : undefined;
    } catch {
      return undefined;
    }
  }

  /** The server accepts a position that is not from its log, so this looks at the event there. */
  async #stands(position: Position, id: string | undefined, signal: AbortSignal): Promise<void> {
    while (position > 0n && !signal.aborted) {
      try {
        const event = await this.#questions.anyAt(position);
        if (event === undefined) throw new NoEventThere(`no event begins at the position ${position}`);
        if (id !== undefined && event.id !== id) throw new NoEventThere(`another event is at the position ${position}`);
        return;
      } catch (error) {
        if (error instanceof NoEventThere) throw error;
        this.tell(error);
        await this.#time.pause(isAnswer(error) ? ASK_AGAIN : LOOK_AGAIN, { signal });
      }
    }
  }

  /**
   * What the server answers.
   * @throws Unavailable with a message for callers if it does not; the log says why
   */
  async available<T>(read: () => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) throw new Error('the event log is closed');
    try {
      return await read();
    } catch (error) {
      if (error instanceof Unavailable || error instanceof LogUnusable) throw error;
      this.tell(error);
      throw new Unavailable(
        isDenied(error)
          ? `the event log cannot be read: its server does not allow ${error instanceof Denied ? `its user to ${error.right}` : 'it'}`
          : 'the event log cannot be read now',
      );
    }
  }
}
