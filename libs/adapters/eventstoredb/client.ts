import { thisMachine } from '#adapters/machine';
import type { Page } from '#eventsourcing/ports';
import { certificatesOf, connectionOf } from './connection-string.js';
import { Leader } from './leader.js';
import { LeaderAppends } from './leader-appends.js';
import { LeaderReads } from './leader-reads.js';
import { type Dial, overGrpc } from './node-calls.js';
import {
  type AppendAnswer,
  type AppendConnection,
  type OutgoingEvent,
  type Reads,
  type Server,
  type ServerEvent,
  type Subscriber,
  type Subscription,
} from './server.js';
import { ServerReads } from './server-reads.js';
import { subscribeTo } from './subscribing.js';

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
  readonly #serverReads: Reads;

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
    this.#serverReads = new ServerReads(this.#reads);
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

  readStream(stream: string, from: number, max: number): Promise<Page<ServerEvent> | undefined> {
    return this.#serverReads.readStream(stream, from, max);
  }

  readAll(from: bigint, max: number, names?: readonly string[]): Promise<Page<ServerEvent>> {
    return this.#serverReads.readAll(from, max, names);
  }

  readBack(
    before: bigint | undefined,
    max: number,
    names: readonly string[],
    within?: number,
  ): Promise<Page<ServerEvent>> {
    return this.#serverReads.readBack(before, max, names, within);
  }

  subscribe(after: bigint, names: readonly string[], subscriber: Subscriber): Subscription {
    return subscribeTo(this.#reading, this.#reads, { after, names }, subscriber, this.machine.time);
  }

  async close(): Promise<void> {
    this.#reading.close();
    this.#appending.close();
  }
}
