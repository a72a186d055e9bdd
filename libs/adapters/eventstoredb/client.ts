import {
  BACKWARDS,
  END,
  ErrorType,
  EventStoreDBClient,
  excludeSystemEvents,
  FORWARDS,
  isCommandError,
  jsonEvent,
  type JSONType,
  NO_STREAM as MISSING,
  type ResolvedEvent,
  START,
  streamNameFilter,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { NO_STREAM } from '#eventsourcing';
import { type Answer, NoEventThere, type Outgoing, type Server, type ServerEvent, type Subscriber } from './server.js';
import { Slots } from './slots.js';

/** A read is given up when nothing came for this time, in milliseconds: the client has no deadline for reads. */
const SILENT_FOR = 15_000;
/**
 * An append is given up after this time, in milliseconds. The server forgets it after its deadline (10 s, in steps of 2 s),
 * and the keepalive finds a dead connection within 20 s; a promise that is pending still will never settle.
 */
const ABANDONED_AFTER = 60_000;
/** `dispose` is not waited for longer than this, in milliseconds: it was seen never to settle. */
const DISPOSE_WITHIN = 2_000;
/**
 * So many appends are on their way at once. The client's stream takes 16 messages before it asks to wait, and rejects what
 * waits in a promise that nobody can catch when the connection drops, which ends the process.
 */
const ON_THEIR_WAY = 15;
/** The gRPC status. */
const UNAVAILABLE = 14;
const STARTS_AFRESH: readonly string[] = [ErrorType.UNAVAILABLE, ErrorType.CANCELLED, ErrorType.NOT_LEADER];

interface Appending {
  client: EventStoreDBClient;
  readonly slots: Slots;
  underWay: number;
  users: number;
}

/**
 * The clients that append, by connection string. The pending appends of all clients stand in one table per process (or
 * thread): an error of one client rejects those of the others, and their late answers then end the process. So there is one.
 */
const appending = new Map<string, Appending>();

/**
 * The only place that knows the client library, `@eventstore/db-client` 6.2 as it behaves with EventStoreDB 23.10. Reads have
 * a client of their own: an unavailable server that one of them meets closes the channel of its client, not that of appends.
 */
export class ServerConnection implements Server {
  readonly #appending: Appending;
  readonly #reading: EventStoreDBClient;
  readonly #reads = new Set<(error: Error) => void>();
  #closed: Promise<void> | undefined;

  /** @throws TypeError for what is no connection string */
  constructor(private readonly url: string) {
    this.#reading = clientOf(url);
    let shared = appending.get(url);
    if (shared === undefined) {
      shared = {
        client: EventStoreDBClient.connectionString(url),
        slots: new Slots(ON_THEIR_WAY),
        underWay: 0,
        users: 0,
      };
      appending.set(url, shared);
    }
    shared.users += 1;
    this.#appending = shared;
  }

  async append(stream: string, expected: number, events: readonly Outgoing[]): Promise<Answer> {
    const shared = this.#appending;
    const expectedRevision = expected === NO_STREAM ? MISSING : BigInt(expected);
    const free = await shared.slots.take();
    shared.underWay += 1;
    let broken = false;
    try {
      // No credentials of the call's own: they would leave the one stream that all appends share.
      const sent = shared.client.appendToStream(
        stream,
        events.map((event) => jsonEvent({ ...event, data: event.data as JSONType })),
        { expectedRevision },
      );
      const { nextExpectedRevision, position } = await within(sent, ABANDONED_AFTER, 'an append');
      if (position === undefined) throw new Error('the server named no position');
      return { kind: 'written', revision: Number(nextExpectedRevision), position: position.commit };
    } catch (error) {
      if (error instanceof WrongExpectedVersionError) {
        const { actualVersion } = error;
        return { kind: 'conflict', actual: typeof actualVersion === 'bigint' ? Number(actualVersion) : NO_STREAM };
      }
      if (error instanceof Error && isCommandError(error) && error.type === ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED) {
        throw new RangeError(
          `an append to ${stream} is larger than the ${error.maxAppendSize} bytes that the server takes`,
        );
      }
      broken = isBroken(error);
      throw error;
    } finally {
      shared.underWay -= 1;
      if (broken && shared.underWay === 0) shared.client = EventStoreDBClient.connectionString(this.url);
      free();
    }
  }

  async readStream(stream: string, from: number, max: number): Promise<readonly ServerEvent[]> {
    try {
      return await this.#collect(this.#reading.readStream(stream, { fromRevision: BigInt(from), maxCount: max }));
    } catch (error) {
      if (error instanceof Error && isCommandError(error) && error.type === ErrorType.STREAM_NOT_FOUND) return [];
      throw error;
    }
  }

  async readAll(from: bigint, max: number): Promise<readonly ServerEvent[]> {
    try {
      const fromPosition = from === 0n ? START : { commit: from, prepare: from };
      return await this.#collect(this.#reading.readAll({ fromPosition, maxCount: max, direction: FORWARDS }));
    } catch (error) {
      const unexpected = error instanceof Error && error.message.includes('Unexpected ReadAllResult');
      throw unexpected ? new NoEventThere(`no event begins at the position ${from}`, { cause: error }) : error;
    }
  }

  async readBack(before: bigint | undefined, max: number): Promise<readonly ServerEvent[]> {
    const fromPosition = before === undefined ? END : { commit: before, prepare: before };
    const read = this.#reading.readAll({ fromPosition, maxCount: max + 1, direction: BACKWARDS });
    const events = (await this.#collect(read)).filter(({ position }) => before === undefined || position < before);
    return events.slice(0, max);
  }

  subscribe(after: bigint, prefix: string, subscriber: Subscriber): () => void {
    const subscription = this.#reading.subscribeToAll({
      fromPosition: after === 0n ? START : { commit: after, prepare: after },
      filter: prefix === '' ? excludeSystemEvents() : streamNameFilter({ prefixes: [prefix] }),
    });
    let left = false;
    const leave = (): void => {
      if (left) return;
      left = true;
      this.#reads.delete(drop);
      // Until it is left, the call stays open at the server.
      void subscription.unsubscribe().catch(() => undefined);
    };
    const drop = (): void => {
      if (left) return;
      leave();
      subscriber.dropped();
    };
    this.#reads.add(drop);
    // Listened to for ever: an error that nobody hears ends the process.
    subscription.on('error', drop).on('end', drop).on('close', drop);
    subscription.on('data', ({ event }) => {
      if (!left && event !== undefined) subscriber.event(fromServer(event));
    });
    return leave;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    for (const end of [...this.#reads]) end(new Error('the connection to the event log is closed'));
    const shared = this.#appending;
    shared.users -= 1;
    if (shared.users === 0) appending.delete(this.url);
    const unused = shared.users === 0 ? [this.#reading, shared.client] : [this.#reading];
    await Promise.allSettled(unused.map((client) => within(client.dispose(), DISPOSE_WITHIN, 'dispose')));
  }

  #collect(
    read: ReturnType<EventStoreDBClient['readStream']> | ReturnType<EventStoreDBClient['readAll']>,
  ): Promise<ServerEvent[]> {
    return new Promise((resolve, reject) => {
      const events: ServerEvent[] = [];
      const fail = (error: Error): void => {
        clearTimeout(timer);
        this.#reads.delete(fail);
        void read.cancel().catch(() => undefined);
        reject(error);
      };
      const timer = setTimeout(() => fail(new Error('the event log is silent')), SILENT_FOR);
      this.#reads.add(fail);
      read.on('error', fail);
      read.on('data', ({ event }: ResolvedEvent) => {
        timer.refresh();
        if (event !== undefined) events.push(fromServer(event));
      });
      read.on('end', () => {
        clearTimeout(timer);
        this.#reads.delete(fail);
        resolve(events);
      });
    });
  }
}

/** What the client says of a connection string repeats parts of it, and does not name the setting. */
function clientOf(url: string): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(url);
  } catch {
    throw new TypeError('EVENTSTORE_URL is no connection string such as esdb://127.0.0.1:2113?tls=false');
  }
}

/**
 * The client asks a server once what it can do, and remembers an error for ever: met amid a stop of the server, it would fail
 * every later append. After these errors alone the client starts afresh by itself.
 */
function isBroken(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') return false;
  return error.code !== UNAVAILABLE && !(isCommandError(error) && STARTS_AFRESH.includes(error.type));
}

function fromServer(event: NonNullable<ResolvedEvent['event']>): ServerEvent {
  const { streamId: stream, revision, id, type, data, metadata, position } = event;
  return {
    stream,
    revision: Number(revision),
    position: position?.commit ?? 0n,
    id,
    type,
    data: data as object,
    metadata: metadata as object,
  };
}

async function within<T>(promise: Promise<T>, milliseconds: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not end within ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
