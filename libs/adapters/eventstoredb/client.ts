import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { type ClientReadableStream, status } from '@grpc/grpc-js';
import { AppendLine, NoOutcome } from './append-line.js';
import { exceptionOf, isAnswer, isTooSlow } from './answers.js';
import { type Connection, connectionOf } from './connection-string.js';
import { Leader, NoLeader } from './leader.js';
import { allRead, backwardsRead, eventOf, streamRead, subscription } from './messages.js';
import {
  type Answer,
  NoEventThere,
  type Outgoing,
  type Server,
  type ServerEvent,
  StreamDeleted,
  type Subscriber,
  type Subscription,
} from './server.js';
import type { ServerNode } from './server-node.js';

/** A read is given up after this time, in milliseconds, with all that it takes to find the leader. */
const READ_WITHIN = 5_000;
/** What the server is told of its time for an append, in milliseconds, where the connection string says nothing. */
const DEADLINE = 10_000;
/** So often it is looked whether the node of a subscription still leads, in milliseconds: it would not say so by itself. */
const BEAT = 1_000;
/** A node that does not answer within this time, in milliseconds, is given up. */
const BEAT_WITHIN = 2_500;

/**
 * The only place that speaks to EventStoreDB, over the messages of `@eventstore/db-client` 6.2. Of that client's calls none
 * is used: its pending appends stand in one table per process, it remembers for ever that no leader was there once, and its
 * reads have no deadline and no filter. Reads have a connection of their own, so that large ones hold no append up.
 */
export class ServerConnection implements Server {
  readonly #connection: Connection;
  readonly #appending: Leader;
  readonly #reading: Leader;
  readonly #verifying = new Map<ServerNode, Promise<void>>();
  #line: Promise<AppendLine> | undefined;

  /** @throws TypeError for what is no connection string, or asks for another node than the leader */
  constructor(url: string) {
    this.#connection = connectionOf(url);
    this.#appending = new Leader(this.#connection);
    this.#reading = new Leader(this.#connection);
  }

  async append(stream: string, expected: number, events: readonly Outgoing[]): Promise<Answer> {
    this.#line ??= this.#open();
    const opened = this.#line;
    const line = await opened;
    try {
      return await line.send(stream, expected, events, this.#connection.defaultDeadline ?? DEADLINE);
    } catch (error) {
      // What others have under way on it may still be answered.
      if (error instanceof NoOutcome) this.#leave(opened, line);
      throw error;
    }
  }

  async readStream(stream: string, from: number, max: number): Promise<readonly ServerEvent[] | undefined> {
    try {
      const { events, missing } = await this.#read(streamRead(stream, from, max), READ_WITHIN);
      return missing ? undefined : events;
    } catch (error) {
      throw exceptionOf(error) === 'stream-deleted' ? new StreamDeleted(stream, { cause: error }) : error;
    }
  }

  async readAll(from: bigint, max: number, names: readonly string[] = []): Promise<readonly ServerEvent[]> {
    try {
      return (await this.#read(allRead(from, max, names), READ_WITHIN)).events;
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
    return (await this.#read(backwardsRead(before, max, names), within)).events;
  }

  subscribe(after: bigint, names: readonly string[], subscriber: Subscriber): Subscription {
    let call: ClientReadableStream<ReadResp> | undefined;
    let beat: NodeJS.Timeout | undefined;
    let left = false;
    const leave = (): void => {
      left = true;
      clearInterval(beat);
      // Until it is left, the call stays open at the server.
      call?.cancel();
    };
    const drop: Subscriber['dropped'] = (why, error) => {
      if (left) return;
      leave();
      subscriber.dropped(why, error);
    };
    const broken = (): void => drop('broke');
    const begin = (node: ServerNode): void => {
      if (left) return;
      beat = setInterval(() => void this.#verify(node), BEAT);
      node.ending.addEventListener('abort', broken, { once: true });
      // Listened to for ever: an error that nobody hears ends the process.
      call = node
        .read(subscription(after, names), Infinity)
        .on('error', (error) => {
          const answered = isAnswer(error);
          if (!left && !answered) this.#reading.lost(node, error);
          drop(!answered ? 'broke' : isTooSlow(error) ? 'too slow' : 'refused', error);
        })
        .on('end', broken)
        .on('data', (answer: ReadResp) => {
          if (left) return;
          const event = eventOf(answer);
          if (event !== undefined) subscriber.event(event);
          if (answer.hasCaughtUp()) subscriber.caughtUp();
        });
    };
    this.#reading.node().then(begin, broken);
    return { leave, pause: () => void call?.pause(), resume: () => void call?.resume() };
  }

  async close(): Promise<void> {
    this.#reading.close();
    this.#appending.close();
  }

  async #open(): Promise<AppendLine> {
    try {
      const node = await this.#appending.node();
      const opened = this.#line;
      const line: AppendLine = new AppendLine(node, (error) => {
        if (this.#line === opened) this.#line = undefined;
        this.#appending.lost(node, error);
      });
      return line;
    } catch (error) {
      this.#line = undefined;
      throw error;
    }
  }

  #leave(opened: Promise<AppendLine>, line: AppendLine): void {
    if (this.#line === opened) this.#line = undefined;
    this.#appending.leave(line.node);
    line.retire();
  }

  /** Asked of the leader, and a second time where that is another one by now. */
  async #read(request: ReadReq, within: number): Promise<Events> {
    const until = Date.now() + within;
    for (let tries = 1; ; tries += 1) {
      const node = await this.#leaderBy(until);
      try {
        return await collect(node, request, Math.max(1, until - Date.now()));
      } catch (error) {
        if (isAnswer(error)) throw error;
        // What takes long may be long; the node is asked something short.
        if ((error as { code?: unknown }).code === status.DEADLINE_EXCEEDED) void this.#verify(node);
        else this.#reading.lost(node, error);
        if (tries > 1 || Date.now() >= until) throw error;
      }
    }
  }

  /** Waits for an election, where there is one. */
  async #leaderBy(until: number): Promise<ServerNode> {
    for (let none: NoLeader | undefined; ;) {
      try {
        return await inTime(this.#reading.node(), until - Date.now());
      } catch (error) {
        if (!(error instanceof NoLeader)) throw none ?? error;
        none = error;
      }
    }
  }

  /** Gives up a node that does not answer as the leader. Never rejects. */
  #verify(node: ServerNode): Promise<void> {
    let verifying = this.#verifying.get(node);
    if (verifying === undefined) {
      verifying = node
        .lead(BEAT_WITHIN)
        .catch((error: unknown) => this.#reading.lost(node, error))
        .finally(() => this.#verifying.delete(node));
      this.#verifying.set(node, verifying);
    }
    return verifying;
  }
}

interface Events {
  readonly events: readonly ServerEvent[];
  readonly missing: boolean;
}

function collect(node: ServerNode, request: ReadReq, within: number): Promise<Events> {
  return new Promise((resolve, reject) => {
    const events: ServerEvent[] = [];
    let missing = false;
    const read = node.read(request, within);
    const cancel = (): void => read.cancel();
    node.ending.addEventListener('abort', cancel, { once: true });
    read
      .on('data', (answer: ReadResp) => {
        missing ||= answer.hasStreamNotFound();
        const event = eventOf(answer);
        if (event !== undefined) events.push(event);
      })
      .on('error', (error) => {
        node.ending.removeEventListener('abort', cancel);
        reject(error);
      })
      .on('end', () => {
        node.ending.removeEventListener('abort', cancel);
        resolve({ events, missing });
      });
  });
}

async function inTime<T>(promise: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no node of the event log answers')), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
