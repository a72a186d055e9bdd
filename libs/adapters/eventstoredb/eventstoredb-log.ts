import { thisMachine } from '#adapters/machine';
import type { Position, Recorded } from '#kernel';
import {
  type Append,
  AppendOutcomeUnknown,
  type AppendProgress,
  type AppendRefused,
  type AppendResult,
  type Batch,
  type Finding,
  type LeaseRegister,
  type LogConnection,
  type LogOwner,
  type LogRecord,
  type OwnedLog,
  type Page,
  type RecordPlace,
  type SearchedLog,
  Slices,
  Unavailable,
} from '#eventsourcing';
import { Appender, type AppendList } from './appender.js';
import { check } from './checks.js';
import { ServerConnection } from './client.js';
import { connectionOf } from './connection-string.js';
import { warnOfSingleNode } from './single-node.js';
import { EventStoreDbLogReader } from './eventstoredb-log-reader.js';
import { examined } from './opening.js';
import type { EventStoreDbOptions } from './options.js';
import { askForAppend, recordOf, repeatRecord, type StoredRecord } from './identity.js';
import { lastNote } from './lease-notes.js';
import { ServerLease } from './lease.js';
import { EventStoreDbConnection } from './log-connection.js';
import { LongLists } from './long-lists.js';
import { OwnStreams } from './own-streams.js';
import { reasonOf } from './reason.js';
import { refusalOf } from './refusal.js';
import {
  type AppendAnswer,
  type AppendConnection,
  OtherConnection,
  type OutgoingEvent,
  type Server,
  ServerRefusal,
  StreamDeleted,
} from './server.js';

/**
 * The event log on EventStoreDB 23.10 and later.
 *
 * The server has no transactions over several streams: the decision is written first. When it is acknowledged, its followers
 * are written, all at the same time. If the server does not answer, the outcome is unknown.
 */
export class EventStoreDbLog implements OwnedLog {
  readonly identity: string;
  readonly countsBytes = true;
  /** Who may decide on the log. */
  readonly lease: LeaseRegister;
  readonly #appender: Appender;
  readonly #long: LongLists;
  readonly #lists = new Set<Promise<unknown>>();
  readonly #ours: OwnStreams;
  /** The connection whose end is reported. */
  #watched: AppendConnection | undefined;
  /** The only connection that appends may use; undefined until the log is checked for the first time. */
  #allowed: AppendConnection | undefined;
  #closed: Promise<void> | undefined;

  private constructor(
    private readonly server: Server,
    private readonly reader: EventStoreDbLogReader,
    private readonly options: EventStoreDbOptions,
  ) {
    this.identity = reader.identity;
    this.#ours = new OwnStreams(options.prefix ?? '', options.categories);
    // An append may wait for its turn while its connection is replaced.
    const append: Server['append'] = (stream, expected, events) => this.#overAllowed(stream, expected, events);
    this.#appender = new Appender({ append }, undefined, options.machine);
    this.#long = new LongLists((options.machine ?? thisMachine).time);
    this.lease = new ServerLease(
      {
        append,
        readStream: (stream, from, max) => server.readStream(stream, from, max),
        readBack: (before, max, names, within) => server.readBack(before, max, names, within),
      },
      options.prefix ?? '',
      () => this.#record(),
      options.machine,
    );
  }

  /** @throws Unavailable with a message for operators if the server does not answer; TypeError for a bad prefix */
  static async open(options: EventStoreDbOptions): Promise<EventStoreDbLog> {
    const server = new ServerConnection(options.url, options.machine);
    try {
      const log = await EventStoreDbLog.on(server, examined(options));
      for (const option of connectionOf(options.url).ignored)
        options.onNotice?.(`EVENTSTORE_URL has the option ${option}, which has no effect`);
      void warnOfSingleNode(options);
      return log;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** Uses an existing connection, and closes it with the log. */
  static async on(server: Server, options: EventStoreDbOptions): Promise<EventStoreDbLog> {
    return new EventStoreDbLog(server, await EventStoreDbLogReader.on(server, options), options);
  }

  /** Events of others that the server has sent to this log's readers in this process. */
  get eventsOfOthers(): number {
    return this.reader.eventsOfOthers;
  }

  /** Where its record is. */
  get place(): RecordPlace | undefined {
    return this.reader.known?.place;
  }

  get notBegun(): Finding | undefined {
    return this.reader.notBegun;
  }

  get searched(): SearchedLog | undefined {
    return this.reader.searched;
  }

  async append(
    list: readonly [Append, ...Append[]],
    progress: AppendProgress = UNHEARD,
  ): Promise<readonly AppendResult[]> {
    if (this.#closed !== undefined) throw new Error('the event log is closed');
    const slices = new Slices((this.options.machine ?? thisMachine).time, CHECKED_IN_A_TURN);
    for (const append of list) {
      if (slices.isOver) await slices.next();
      check(append);
    }
    const written = this.#append(list, progress);
    this.#lists.add(written);
    try {
      return await written;
    } finally {
      this.#lists.delete(written);
    }
  }

  async connect(): Promise<LogConnection> {
    const connection = await this.#connected();
    return new EventStoreDbConnection(
      connection,
      this.server,
      this.#ours,
      this.options,
      () => this.reader.known,
      (ask) => this.reader.available(ask),
      () => {
        this.#allowed = connection;
      },
    );
  }

  record(): Promise<LogRecord | undefined> {
    return this.reader.record();
  }

  async own(before: LogOwner | undefined, owner: LogOwner): Promise<boolean> {
    return (await this.connect()).own(before, owner);
  }

  async repeatRecord({ identity, owner, place = this.reader.known?.place }: LogRecord): Promise<void> {
    const { prefix = '', machine } = this.options;
    await this.reader.available(async () => {
      const known = await recordOf(this.server, prefix, this.reader.known);
      const last = await lastNote(this.server, prefix);
      // What is known of the record may be older than its last event. A place that has had a note must not be named again.
      const lease = Math.max(known?.lease ?? 1, last?.place ?? 1);
      await repeatRecord(this.server, prefix, { identity, owner, lease, place }, machine);
    });
  }

  isCut(stream: string): Promise<boolean> {
    return this.reader.isCut(stream);
  }

  isDeleted(stream: string): Promise<boolean> {
    return this.reader.isDeleted(stream);
  }

  isOthers(stream: string): Promise<boolean> {
    return this.reader.isOthers(stream);
  }

  async probe(refused?: AppendRefused): Promise<void> {
    const { prefix = '', machine } = this.options;
    if (refused === undefined) return askForAppend(this.server, prefix, machine);
    const { stream, bytes = 0 } = refused;
    const { randomness } = machine ?? thisMachine;
    const asked = { id: randomness.uuid(), type: 'asked', data: { filling: 'x'.repeat(bytes) } };
    try {
      // No stream ever has that revision.
      await this.server.append(prefix + stream, Number.MAX_SAFE_INTEGER, [asked]);
    } catch (error) {
      if (!(error instanceof ServerRefusal)) throw error;
      throw refusalOf(error, { stream, events: [asked] }, prefix + stream);
    }
  }

  readStream(stream: string, from: number, max: number): Promise<Page> {
    return this.reader.readStream(stream, from, max);
  }

  head(): Promise<Position> {
    return this.reader.head();
  }

  eventAt(position: Position): Promise<Recorded | undefined> {
    return this.reader.eventAt(position);
  }

  subscribe(after: Position, max: number, signal: AbortSignal): AsyncIterable<Batch> {
    return this.reader.subscribe(after, max, signal);
  }

  /**
   * Waits for the answers under way, because leaving during an append would make its outcome unknown; then leaves the
   * server.
   */
  close(): Promise<void> {
    this.#closed ??= Promise.allSettled(this.#lists).then(() => this.reader.close());
    return this.#closed;
  }

  async #connected(): Promise<AppendConnection> {
    const { prefix = '', machine } = this.options;
    let connection: AppendConnection;
    try {
      connection = await this.server.appendConnection();
      // A call that was begun may not have reached the server.
      await askForAppend(this.server, prefix, machine, connection);
    } catch (error) {
      if (this.#closed === undefined) this.reader.tell(error);
      throw new Unavailable(`the event log cannot be reached now: ${reasonOf(error)}`);
    }
    this.#watch(connection);
    return connection;
  }

  /** The record under a name that readers find: if there is none, it is written again. */
  async #record(): Promise<StoredRecord> {
    const read = () => recordOf(this.server, this.options.prefix ?? '', this.reader.known);
    const found = await read();
    if (found !== undefined && found.missing !== true) return found;
    if (found !== undefined) await this.repeatRecord(found);
    const again = found && (await read());
    if (again === undefined || again.missing === true)
      throw new Unavailable('the record of the event log cannot be found');
    return again;
  }

  #watch(connection: AppendConnection): void {
    if (connection === this.#watched) return;
    this.#watched = connection;
    if (connection.ended.aborted) this.#broke();
    else connection.ended.addEventListener('abort', () => this.#broke(), { once: true });
  }

  /** A connection for appends ended, or is a new one. */
  #broke(): void {
    if (this.#closed === undefined) this.options.onBroken?.();
  }

  async #overAllowed(stream: string, expected: number, events: readonly OutgoingEvent[]): Promise<AppendAnswer> {
    try {
      return await this.server.append(stream, expected, events, this.#allowed);
    } catch (error) {
      if (error instanceof OtherConnection) this.#broke();
      throw error;
    }
  }

  async #append(list: readonly [Append, ...Append[]], progress: AppendProgress): Promise<readonly AppendResult[]> {
    const [decision, ...followers] = list;
    progress.waits();
    const isLong = LongLists.isLong(followers.length);
    const ended = isLong ? await this.#long.begin(followers.length, () => progress.isWanted()) : () => undefined;
    let open = followers.length;
    try {
      const first = await this.#decided(decision, progress);
      progress.answered();
      progress.decided(first);
      if (first.kind === 'conflict') return [first, ...followers.map((): AppendResult => ({ kind: 'skipped' }))];
      const turns = { isLong };
      /** If one gets no answer, others get none either: they are written later, from the decision. */
      let answers = true;
      const others = followers.map(async (follower): Promise<AppendResult> => {
        const result = await this.#followed(follower, turns, { isWanted: () => answers, begins: () => undefined });
        open -= 1;
        ended();
        answers &&= result.kind !== 'unknown';
        if (result.kind !== 'unknown') progress.answered();
        return result;
      });
      return [first, ...(await Promise.all(others))];
    } finally {
      for (; open > 0; open -= 1) ended();
    }
  }

  async #decided(decision: Append, progress: AppendProgress): Promise<AppendAnswer> {
    try {
      return await this.#appender.append(this.#onServer(decision), undefined, progress);
    } catch (error) {
      if (error instanceof ServerRefusal) throw this.#refusal(error, decision);
      if (error instanceof AppendOutcomeUnknown) this.reader.tell(error);
      if (!(error instanceof StreamDeleted)) throw error;
      // The read reports the deletion to whoever watches the log.
      await this.reader.readStream(decision.stream, 0, 1);
      throw new Unavailable(`nothing can be written to ${decision.stream} any more`, 10);
    }
  }

  /** Writes a follower. It never rejects: the decision stands. */
  async #followed(
    follower: Append,
    turns: AppendList,
    turn: Pick<AppendProgress, 'isWanted' | 'begins'>,
  ): Promise<AppendResult> {
    try {
      return await this.#appender.append(this.#onServer(follower), turns, turn);
    } catch (error) {
      if (error instanceof ServerRefusal) return { kind: 'refused', refusal: this.#refusal(error, follower) };
      return { kind: 'unknown' };
    }
  }

  #refusal(refusal: ServerRefusal, append: Append): AppendRefused {
    return refusalOf(refusal, append, this.#onServer(append).stream);
  }

  #onServer(append: Append): Append {
    return { ...append, stream: (this.options.prefix ?? '') + append.stream };
  }
}

/** Milliseconds in which the appends of a list are checked before other calls have their turn. */
const CHECKED_IN_A_TURN = 3;

/** For appends whose progress nobody hears. */
const UNHEARD: AppendProgress = {
  waits: () => undefined,
  isWanted: () => true,
  begins: () => undefined,
  decided: () => undefined,
  answered: () => undefined,
};
