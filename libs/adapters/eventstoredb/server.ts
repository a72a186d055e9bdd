import type { Page } from '#eventsourcing/ports';
import type { Instant } from '#kernel';

/** An event that `check` has accepted, before it is sent. */
export interface OutgoingEvent {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata?: object;
}

/** A stored event, whoever wrote it. */
export interface ServerEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: bigint;
  readonly id: string;
  readonly type: string;
  /** Any JSON; undefined if it is not JSON. */
  readonly data: unknown;
  readonly metadata: unknown;
  /** When the server wrote it, by its own clock. */
  readonly created: Instant;
  /** The bytes of its data and metadata, as they came. */
  readonly bytes?: number;
}

/** The server's answer to an append; everything else is no answer. */
export type AppendAnswer =
  | { readonly kind: 'written'; readonly revision: number; readonly position: bigint }
  | { readonly kind: 'conflict'; readonly actual: number };

/** The server has not taken an append: this sending wrote nothing, and it may be sent again. */
export class NotTaken extends Error {
  override name = 'NotTaken';
}

/** Appends use another connection now: nothing was sent. */
export class OtherConnection extends NotTaken {
  override name = 'OtherConnection';
}

/** The server refuses an append by a rule that its operator can change: this sending wrote nothing. */
export class ServerRefusal extends Error {
  override name = 'ServerRefusal';
  /** @param most the bytes that it takes, if it says so */
  constructor(
    readonly why: 'denied' | 'append too large' | 'event too large' | 'malformed',
    readonly most?: number,
  ) {
    super(`the server refuses an append: ${why}`);
  }
}

/** Receives what a subscription brings, in order. */
export interface Subscriber {
  event(event: ServerEvent): void;
  /** Everything that existed has come. */
  caughtUp(): void;
  /** Everything up to this position has come: now and then, if the server filters out much. */
  searched?(position: bigint): void;
  /**
   * Called once, when the subscription has ended.
   * @param why `broke`: the connection, or the node; `refused`: the server refuses it
   */
  dropped(why: 'broke' | 'too slow' | 'refused', error?: unknown): void;
}

/** A subscription for its reader. */
export interface Subscription {
  leave(): void;
  /** Takes nothing more from the server, which waits (or drops the subscription). */
  pause(): void;
  resume(): void;
}

/** No event begins at the requested position. */
export class NoEventThere extends Error {
  override name = 'NoEventThere';
}

/** Somebody has deleted the stream for ever (a tombstone). */
export class StreamDeleted extends Error {
  override name = 'StreamDeleted';
}

/** Reads of a server, from its leader. Each ends with the event that reaches `PAGE_BYTES`. */
export interface Reads {
  /**
   * Events from this revision on, inclusive; undefined for a missing stream.
   * @throws StreamDeleted
   */
  readStream(stream: string, from: number, max: number): Promise<Page<ServerEvent> | undefined>;

  /**
   * Events in log order from this position on, inclusive, of streams whose names begin with one of these, or of all streams
   * without `names`. 0n is the beginning.
   * @throws NoEventThere
   */
  readAll(from: bigint, max: number, names?: readonly string[]): Promise<Page<ServerEvent>>;

  /**
   * The same backwards, from before this position or from the end.
   * @param within how long the server may search, in milliseconds: 5,000 if absent
   */
  readBack(
    before: bigint | undefined,
    max: number,
    names: readonly string[],
    within?: number,
  ): Promise<Page<ServerEvent>>;
}

/** A connection that carries appends. Behind another one may be another server, or another log. */
export interface AppendConnection {
  /** Aborts when it carries no more appends. */
  readonly ended: AbortSignal;
  /** The node behind it, for operators. */
  readonly server: string;
  /** Reads over this connection and no other. A read that fails ends no append. */
  readonly reads: Reads;
  /**
   * Whether an instant is past by the server's clock: it says so about an append that cannot succeed, with this time limit.
   * Writes nothing.
   * @throws Error of any kind if it does not say
   */
  isPast(instant: Instant, stream: string): Promise<boolean>;
}

/** What the log needs from a server's client; all calls go to the leader. Another client needs another implementation. */
export interface Server extends Reads {
  /**
   * Appends all of the events or none, on this revision. It is always explicit: with it, a repeat of the same ids gets the
   * first outcome, from the stream itself, for ever.
   * @param over the only connection that may carry it; absent means any
   * @throws ServerRefusal | StreamDeleted | OtherConnection | NotTaken this sending wrote nothing; any other error leaves the
   * outcome unknown
   */
  append(
    stream: string,
    expected: number,
    events: readonly OutgoingEvent[],
    over?: AppendConnection,
  ): Promise<AppendAnswer>;

  /** The connection that appends use. Opens one if there is none. */
  appendConnection(): Promise<AppendConnection>;

  /**
   * The events after this position, exclusive, of streams whose names begin with one of these. EventStoreDB before 24.2
   * drops a subscription when a burst exceeds its buffer of 32 events.
   */
  subscribe(after: bigint, names: readonly string[], subscriber: Subscriber): Subscription;

  /** Ends reads and subscriptions, and leaves appends under way without an answer. */
  close(): Promise<void>;
}

/** The message of a client's error, or its code if the message is empty. */
export function errorMessageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { type, code } = error as { type?: unknown; code?: unknown };
  return [type, code, error.message].filter((part) => part !== undefined && part !== '').join(' ');
}
