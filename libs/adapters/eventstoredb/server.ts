import type { Instant } from '#kernel';

/** An event on its way to the server, which `check` has let pass. */
export interface OutgoingEvent {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata?: object;
}

/** An event as the server holds it, whosoever it is. */
export interface ServerEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: bigint;
  readonly id: string;
  readonly type: string;
  /** Any JSON; undefined for what is none. */
  readonly data: unknown;
  readonly metadata: unknown;
  /** When the server wrote it, by its own clock. */
  readonly created: Instant;
}

/** What the server said to an append; everything else is no answer. */
export type AppendAnswer =
  | { readonly kind: 'written'; readonly revision: number; readonly position: bigint }
  | { readonly kind: 'conflict'; readonly actual: number };

/** Told of what a subscription brings, in its order. */
export interface Subscriber {
  event(event: ServerEvent): void;
  /** Everything that was there has come. */
  caughtUp(): void;
  /**
   * Once: it is no more.
   * @param why `broke`: the connection, or the node; `refused`: the server will not have it
   */
  dropped(why: 'broke' | 'too slow' | 'refused', error?: unknown): void;
}

/** A subscription as its reader holds it. */
export interface Subscription {
  leave(): void;
  /** Nothing more is taken from the server, which waits (or drops the subscription). */
  pause(): void;
  resume(): void;
}

/** No event begins at the position that was asked for. */
export class NoEventThere extends Error {
  override name = 'NoEventThere';
}

/** Somebody has deleted the stream for ever (a tombstone). */
export class StreamDeleted extends Error {
  override name = 'StreamDeleted';
}

/** What the log needs of a server's client; all of it is asked of the leader. Who takes another client writes this anew. */
export interface Server {
  /**
   * All of the events or none, on this revision. Always an explicit one: with it a repeat of the same ids gets the first
   * outcome, from the stream itself, for ever.
   * @throws RangeError for what is larger than the server's bound; anything else leaves the outcome unknown
   */
  append(stream: string, expected: number, events: readonly OutgoingEvent[]): Promise<AppendAnswer>;

  /**
   * From this revision on, inclusive; undefined for a missing stream.
   * @throws StreamDeleted
   */
  readStream(stream: string, from: number, max: number): Promise<readonly ServerEvent[] | undefined>;

  /**
   * Events in log order from this position on, inclusive, of streams whose names begin with one of these; everybody's where
   * there are none. 0n is the beginning.
   * @throws NoEventThere
   */
  readAll(from: bigint, max: number, names?: readonly string[]): Promise<readonly ServerEvent[]>;

  /**
   * The same backwards, from before this position or from the end.
   * @param within how long the server may look for them, in milliseconds: 5,000 where absent
   */
  readBack(
    before: bigint | undefined,
    max: number,
    names: readonly string[],
    within?: number,
  ): Promise<readonly ServerEvent[]>;

  /**
   * The events after this position, exclusive, of streams whose names begin with one of these. EventStoreDB before 24.2
   * drops subscriptions as soon as a burst is larger than its buffer of 32 events.
   */
  subscribe(after: bigint, names: readonly string[], subscriber: Subscriber): Subscription;

  /** Ends reads and subscriptions, and leaves appends under way without an answer. */
  close(): Promise<void>;
}

/** What an error of the client says; its message may be empty, and its code says more. */
export function errorMessageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { type, code } = error as { type?: unknown; code?: unknown };
  return [type, code, error.message].filter((part) => part !== undefined && part !== '').join(' ');
}
