import { thisMachine } from '#adapters/machine';
import { exceptionOf } from './answers.js';
import { certificatesOf, connectionOf } from './connection-string.js';
import { Leader } from './leader.js';
import { LeaderAppends } from './leader-appends.js';
import { LeaderReads } from './leader-reads.js';
import { allRead, backwardsRead, streamRead } from './messages.js';
import { type Dial, overGrpc } from './node-calls.js';
import {
  type AppendAnswer,
  type AppendConnection,
  NoEventThere,
  type OutgoingEvent,
  type Server,
  type ServerEvent,
  StreamDeleted,
  type Subscriber,
  type Subscription,
} from './server.js';
import { subscribeTo } from './subscribing.js';

/** The longest read in milliseconds, including the search for the leader. */
const READ_WITHIN = 5_000;

/**
 * The only place that talks to EventStoreDB. It uses the messages of `@eventstore/db-client` 6.2 but none of its calls: the
 * client has one table of pending appends per process, remembers for ever that it once found no leader, and its reads have
 * no deadline and no filter. Reads have their own connection, so that large ones delay no append.
 */
export class ServerConnection implements Server {
  readonly #appending: Leader;
  readonly #reading: Leader;
  readonly #appends: LeaderAppends;
  readonly #reads: LeaderReads;

  /**
   * @throws TypeError for text that is no connection string, or that asks for another node than the leader; Error if a file
   * that it names cannot be read
   */
  constructor(
    url: string,
    private readonly machine = thisMachine,
    dial: Dial = overGrpc,
  ) {
    const connection = connectionOf(url);
    // A call later would only be tried again and again.
    certificatesOf(connection);
    this.#appending = new Leader(connection, machine, dial);
    this.#reading = new Leader(connection, machine, dial);
    this.#appends = new LeaderAppends(this.#appending, connection.defaultDeadline);
    this.#reads = new LeaderReads(this.#reading, machine.time);
  }

  append(
    stream: string,
    expected: number,
    events: readonly OutgoingEvent[],
    over?: AppendConnection,
  ): Promise<AppendAnswer> {
    return this.#appends.append(stream, expected, events, over);
  }

  appendConnection(): Promise<AppendConnection> {
    return this.#appends.line();
  }

  async readStream(stream: string, from: number, max: number): Promise<readonly ServerEvent[] | undefined> {
    try {
      const { events, missing } = await this.#reads.read(streamRead(stream, from, max), READ_WITHIN);
      return missing ? undefined : events;
    } catch (error) {
      throw exceptionOf(error) === 'stream-deleted' ? new StreamDeleted(stream, { cause: error }) : error;
    }
  }

  async readAll(from: bigint, max: number, names: readonly string[] = []): Promise<readonly ServerEvent[]> {
    try {
      return (await this.#reads.read(allRead(from, max, names), READ_WITHIN)).events;
    } catch (error) {
      const unexpected = error instanceof Error && error.message.includes('Unexpected ReadAllResult');
      throw unexpected ? new NoEventThere(`no event begins at the position ${from}`, { cause: error }) : error;
    }
  }

  async readBack(
    before: bigint | undefined,
    max: number,
    names: readonly string[],
    within = READ_WITHIN,
  ): Promise<readonly ServerEvent[]> {
    return (await this.#reads.read(backwardsRead(before, max, names), within)).events;
  }

  subscribe(after: bigint, names: readonly string[], subscriber: Subscriber): Subscription {
    return subscribeTo(this.#reading, this.#reads, { after, names }, subscriber, this.machine.time);
  }

  async close(): Promise<void> {
    this.#reading.close();
    this.#appending.close();
  }
}
