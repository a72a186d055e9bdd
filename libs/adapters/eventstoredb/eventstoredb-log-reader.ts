import { setTimeout as pause } from 'node:timers/promises';
import type { EventMetadata, Position, Recorded } from '#kernel';
import { type Batch, type EventLogReader, Unavailable } from '#eventsourcing';
import { ServerConnection } from './client.js';
import { follow, type Ours } from './following.js';
import { identityOf } from './identity.js';
import { NoEventThere, type Server, type ServerEvent, wordsOf } from './server.js';

/** Which log on which server. */
export interface EventStoreDbOptions {
  /**
   * A connection string: `esdb://host:2113?tls=false`. Of a cluster, ask for the leader (`nodePreference=leader`): other
   * nodes may not have yet what was acknowledged.
   */
  readonly url: string;
  /**
   * Begins the name of every stream on the server, and nobody else's there: so several logs share one server. Without a
   * dash, for categories end at the first one. Empty where absent.
   */
  readonly prefix?: string;
  /** How long the opening waits for a server that does not answer yet, in milliseconds: 30,000 where absent. */
  readonly openWithin?: number;
}

const OPEN_WITHIN = 30_000;
const OPEN_PAUSE = 250;
/** Events per read on the way back to the last one of ours: few at first, for it is nearly always among them. */
const FIRST_BACK = 32;
const MORE_BACK = 4_000;

/**
 * Reads a log on EventStoreDB over a connection of the calling thread. A position is the commit position of an event. A
 * call that the server does not answer throws Unavailable; subscriptions try again.
 */
export class EventStoreDbLogReader implements EventLogReader {
  readonly #closing = new AbortController();
  readonly #ours: Ours;

  private constructor(
    readonly identity: string,
    private readonly server: Server,
    private readonly prefix: string,
  ) {
    this.#ours = { prefix, decode: (event) => this.#decode(event) };
  }

  /** @throws Unavailable with words for the operator when the server does not answer; TypeError for a bad prefix */
  static async open(options: EventStoreDbOptions): Promise<EventStoreDbLogReader> {
    const server = new ServerConnection(options.url);
    try {
      return await EventStoreDbLogReader.on(server, options);
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** Over a connection that is there already, and that is closed with the reader. */
  static async on(server: Server, options: EventStoreDbOptions): Promise<EventStoreDbLogReader> {
    const { prefix = '', openWithin = OPEN_WITHIN } = options;
    if (prefix.includes('-') || prefix.startsWith('$') || !prefix.isWellFormed() || prefix.includes('\0')) {
      throw new TypeError(
        `the prefix of the streams must have no dash and not begin with $: ${JSON.stringify(prefix)}`,
      );
    }
    const until = Date.now() + openWithin;
    for (;;) {
      try {
        return new EventStoreDbLogReader(await identityOf(server, prefix), server, prefix);
      } catch (error) {
        if (Date.now() > until) {
          throw new Unavailable(`the event log at EventStoreDB cannot be opened: ${wordsOf(error)}`);
        }
      }
      await pause(OPEN_PAUSE);
    }
  }

  async readStream(stream: string, from: number, max: number): Promise<readonly Recorded[]> {
    if (max <= 0) return [];
    const events = await this.#asked(() => this.server.readStream(this.prefix + stream, from, max));
    return events.flatMap((event) => this.#decode(event) ?? []);
  }

  async head(): Promise<Position> {
    let before: Position | undefined;
    for (let size = FIRST_BACK; ; size = MORE_BACK) {
      const events = await this.#asked(() => this.server.readBack(before, size));
      const last = events.find((event) => this.#decode(event) !== undefined);
      if (last !== undefined) return last.position;
      if (events.length < size) return 0n;
      before = events.at(-1)?.position;
    }
  }

  async eventAt(position: Position): Promise<Recorded | undefined> {
    if (position <= 0n) return undefined;
    const [event] = await this.#asked(() => this.server.readAll(position, 1).catch(nothingThere));
    return event?.position === position ? this.#decode(event) : undefined;
  }

  subscribe(after: Position, max: number, signal: AbortSignal): AsyncIterable<Batch> {
    return follow(this.server, this.#ours, after, max, AbortSignal.any([signal, this.#closing.signal]));
  }

  /** Ends the subscriptions and the connection. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.server.close();
  }

  async #asked<T>(read: () => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) throw new Error('the event log is closed');
    try {
      return await read();
    } catch (error) {
      throw new Unavailable(`the event log cannot be read: ${wordsOf(error)}`);
    }
  }

  #decode({ stream, metadata, ...event }: ServerEvent): Recorded | undefined {
    if (event.type.startsWith('$') || stream.startsWith('$') || !stream.startsWith(this.prefix)) return undefined;
    return { ...event, stream: stream.slice(this.prefix.length), metadata: metadata as EventMetadata };
  }
}

function nothingThere(error: unknown): readonly ServerEvent[] {
  if (error instanceof NoEventThere) return [];
  throw error;
}
