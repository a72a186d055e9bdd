import { thisMachine } from '#adapters/machine';
import type { Position, Recorded } from '#kernel';
import {
  type Batch,
  type EventLogReader,
  leadOfServer,
  type LogRecord,
  LogUnusable,
  type RecordPlace,
  type SearchedForLog,
  type SearchedLog,
  type Time,
  Unavailable,
  wrongClock,
} from '#eventsourcing';
import { Denied, isAnswer, isDenied, isUnreached, isWithoutTls } from './answers.js';
import { ServerConnection } from './client.js';
import { connectionOf, hostsOf } from './connection-string.js';
import { follow } from './following.js';
import { createRecord, type KnownRecord, recordOf } from './identity.js';
import { NoLeader } from './leader.js';
import { LogQuestions } from './log-questions.js';
import { OwnStreams } from './own-streams.js';
import { reasonOf } from './reason.js';
import { speaksTls } from './speaks-tls.js';
import { NoEventThere, type Server, type ServerEvent } from './server.js';
import { StreamWatch, type WatchedBy } from './stream-watch.js';
import { walk } from './walk.js';

/** Names a log and its server. */
export interface EventStoreDbOptions extends WatchedBy {
  /**
   * A connection string: `esdb://host:2113?tls=false`. For a cluster it should name several hosts, or one name for all of
   * them (`esdb+discover://`): the leader is searched among them.
   */
  readonly url: string;
  /**
   * Begins the name of every stream, so that several logs and other applications can share a server. It has no dash, because
   * categories end at the first one. Empty if absent.
   */
  readonly prefix?: string;
  /** The categories of the log's streams: only events in one of them are the log's. Absent means any category. */
  readonly categories?: readonly string[];
  /** The log's identity, if known. A missing log is then not created, because the server is another one or was emptied. */
  readonly identity?: string | undefined;
  /** Where the record of the log with that identity is, if known. */
  readonly place?: RecordPlace | undefined;
  /** An operator has accepted that the log is gone: a new one is created if the server has no event of it. */
  readonly renews?: boolean;
  /** How far an earlier process has searched the log. */
  readonly searched?: SearchedLog | undefined;
  /** What was searched for a log before, in this start. */
  readonly search?: SearchedForLog;
  /** How long the opening waits for a server that does not answer yet, in milliseconds: 30,000 if absent. */
  readonly openWithin?: number;
  /** Looks into a failure to open. @throws TypeError if a setting is the cause, so that waiting is of no use */
  readonly examine?: (error: unknown) => Promise<void>;
}

const OPEN_WITHIN = 30_000;
const OPEN_PAUSE = 250;
/** After this time, in milliseconds, operators are told what the opening waits for. */
const WAITS_LONG = 2_000;
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
    this.#questions = new LogQuestions(server, this.#ours, () => this.#known, options.searched);
  }

  /** @throws Unavailable with words for the operator if the server does not answer; TypeError for a bad setting */
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
      return await EventStoreDbLogReader.existsOn(server, examined(options));
    } finally {
      await server.close();
    }
  }

  /** The same over an existing connection. */
  static async existsOn(server: Server, options: LogSearch): Promise<boolean> {
    const record = await opened(options, () => recordOf(server, options.prefix ?? ''));
    return record !== undefined || !(await isEmpty(server, options));
  }

  /** Uses an existing connection, and closes it with the reader. */
  static async on(server: Server, options: EventStoreDbOptions): Promise<EventStoreDbLogReader> {
    const { prefix = '', identity, place, renews = false } = options;
    if (prefix.includes('-') || prefix.startsWith('$') || !prefix.isWellFormed() || prefix.includes('\0')) {
      throw new TypeError(
        `the prefix of the streams must have no dash and not begin with $: ${JSON.stringify(prefix)}`,
      );
    }
    const known = identity !== undefined && place !== undefined ? { identity, place } : undefined;
    const find = () => opened(options, () => recordOf(server, prefix, known));
    let found = await find();
    if (found === undefined && (identity === undefined || renews)) {
      if (await isEmpty(server, options)) {
        found = await opened(options, async () => {
          // The answer to an earlier try may have been lost.
          const there = await recordOf(server, prefix);
          if (there !== undefined) return there;
          await compareClocks(server, prefix, options.machine);
          await createRecord(server, prefix, options.machine);
          return recordOf(server, prefix);
        });
      } else {
        // Another process may have begun the log during the search.
        found = await find();
      }
      if (found === undefined && identity === undefined) {
        throw new LogUnusable(
          'the server of EVENTSTORE_URL has events of an event log, but no record of it, which says whose it is: nothing is ' +
            'written to it. Start the installation that it belongs to, or name another EVENTSTORE_PREFIX',
        );
      }
    }
    const ours = found?.identity ?? identity;
    if (ours === undefined) throw new LogUnusable('the event log at EVENTSTORE_URL could not be created');
    return new EventStoreDbLogReader(ours, server, { ...options, place: found?.place ?? place });
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
  get foreign(): number {
    return this.#watch.foreign;
  }

  async readStream(stream: string, from: number, max: number): Promise<readonly Recorded[]> {
    if (max <= 0) return [];
    return this.available(() => this.#watch.readStream(stream, from, max));
  }

  /** Whether a setting of the server now removes events from the stream. @throws Unavailable */
  isCut(stream: string): Promise<boolean> {
    return this.available(() => this.#watch.isCut(stream));
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
      begins: (position: Position) => this.#searchedAfter(position),
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

  /** Where the search for events after this one may begin: nothing of ours is between. Undefined if nothing more is known. */
  async #searchedAfter(position: Position): Promise<Position | undefined> {
    const { began = 0n } = this.#known?.place ?? {};
    const { head = -1n, end = 0n, endId } = this.#questions.searched ?? this.options.searched ?? {};
    try {
      if (position === 0n && began > 0n) return (await this.#questions.anyAt(began)) && began;
      if (position !== head || end <= head) return undefined;
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
   * @throws Unavailable with words for callers if it does not; operators are told why
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

/** The same options for a server on a network: a setting that does not fit it is refused, not waited for. */
export function examined<Options extends Pick<EventStoreDbOptions, 'url'>>(
  options: Options,
): Options & Pick<EventStoreDbOptions, 'examine'> {
  const { hosts, tls } = connectionOf(options.url);
  let asked = false;
  const examine = async (error: unknown): Promise<void> => {
    const cause = error instanceof NoLeader ? error.cause : error;
    if (asked || tls !== false || !isUnreached(cause)) return;
    asked = true;
    const [first] = hosts;
    if (first === undefined || !(await speaksTls(first))) return;
    throw new TypeError('EVENTSTORE_URL has tls=false, but the server requires TLS: leave tls=false out');
  };
  return { ...options, examine };
}

/**
 * Compares the clocks before anything is written to a server that has no log yet.
 * @throws Unavailable if they differ: nobody knows yet which one is wrong
 */
async function compareClocks(server: Server, prefix: string, { time } = thisMachine): Promise<void> {
  const connection = await server.appendConnection();
  const lead = await leadOfServer((instant) => connection.isPast(instant, `${prefix}holdfast`), time);
  if (lead !== undefined) throw new Unavailable(wrongClock(-lead, connection.server).words);
}

/** What a search for a log needs. */
type LogSearch = Pick<
  EventStoreDbOptions,
  'url' | 'prefix' | 'categories' | 'machine' | 'onNotice' | 'search' | 'examine'
>;

/** Whether no event on the server shows a log with this prefix: a new identity is created only then. */
async function isEmpty(
  server: Pick<Server, 'subscribe' | 'readBack'>,
  { prefix = '', categories, machine = thisMachine, onNotice, search = {} }: LogSearch,
): Promise<boolean> {
  const ours = new OwnStreams(prefix, categories);
  const [last] = await server.readBack(undefined, 1, []);
  const shown = await walk(server, {
    names: categories === undefined && prefix === '' ? [] : ours.searchedPrefixes,
    after: search.emptyUpTo ?? 0n,
    see: (event) => ours.shows(event),
    progress: (position) =>
      onNotice?.(`searches the events of others for an event log: ${position} bytes of the server's log are searched`),
    time: machine.time,
  });
  if (shown === undefined && last !== undefined) search.emptyUpTo = last.position;
  return shown === undefined;
}

/** The server's answer. Waits until it answers. */
async function opened<T>(
  {
    url,
    openWithin = OPEN_WITHIN,
    onNotice,
    examine,
    machine: { time } = thisMachine,
  }: Pick<EventStoreDbOptions, 'url' | 'openWithin' | 'onNotice' | 'machine' | 'examine'>,
  ask: () => Promise<T>,
): Promise<T> {
  const began = time.monotonic();
  const server = `EventStoreDB at ${hostsOf(connectionOf(url))} (EVENTSTORE_URL)`;
  for (let reported = false; ;) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof LogUnusable) throw error;
      if (isWithoutTls(error)) {
        throw new TypeError('EVENTSTORE_URL asks for TLS, which the server does not support: set tls=false');
      }
      await examine?.(error);
      const waited = time.monotonic() - began;
      if (waited > openWithin) throw new Unavailable(`${server} cannot be opened: ${reasonOf(error)}`);
      if (waited > WAITS_LONG && !reported) onNotice?.(`waiting for ${server}: ${reasonOf(error)}`);
      reported ||= waited > WAITS_LONG;
    }
    await time.pause(OPEN_PAUSE);
  }
}
