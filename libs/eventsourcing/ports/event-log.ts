import type { EventBody, EventMetadata, Position, Recorded } from '#kernel';

/** An event on its way into the log. */
export interface NewEvent extends EventBody {
  /** A UUID; unique in the stream by the caller's care, not by the log's. */
  readonly id: string;
  readonly metadata: EventMetadata;
}

/** The revision to expect of a stream that must not exist yet. */
export const NO_STREAM = -1;

/** One append: all of its events or none, to one stream whose last revision must be `expected`. */
export interface Append {
  readonly stream: string;
  readonly expected: number;
  readonly events: readonly NewEvent[];
}

/**
 * `written`: on disk. `conflict`: the stream's last revision was another one, nothing was written (`actual`: that
 * revision). `skipped`: a follower of a decision that was not written. `unknown`: a follower whose answer was lost.
 */
export type AppendResult =
  | { readonly kind: 'written'; readonly revision: number; readonly position: Position }
  | { readonly kind: 'conflict'; readonly actual: number }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'unknown' };

/** At most so many events in one append, on every engine. */
export const MAX_APPEND_EVENTS = 100;
/** At most so many bytes of event data in one append, on every engine. */
export const MAX_APPEND_BYTES = 512 * 1024;

/** The answer to an append was lost: it may be written or not, and is repeated unchanged until the log answers. */
export class AppendOutcomeUnknown extends Error {
  override name = 'AppendOutcomeUnknown';
}

/** The log takes no appends any more in this process (a sync failed): final, nothing may be repeated. */
export class LogFailed extends Error {
  override name = 'LogFailed';
}

/** Events in log order, as they arrived together. */
export interface Batch {
  readonly events: readonly Recorded[];
  /** True when nothing more was in the log at the time of reading. */
  readonly caughtUp: boolean;
}

/** The reading side of the log. Only what is on disk for good is ever seen here. */
export interface EventLogReader {
  /** Names this log for ever; another log, or one restored from elsewhere, has another identity. */
  readonly identity: string;

  /** Up to `max` events of a stream from revision `from` (inclusive); empty for a missing stream or beyond its end. */
  readStream(stream: string, from: number, max: number): Promise<readonly Recorded[]>;

  /** The position of the last event; 0n for an empty log. */
  head(): Promise<Position>;

  /** The event at exactly this position; undefined when no event has it. */
  eventAt(position: Position): Promise<Recorded | undefined>;

  /**
   * Every event after `after` (exclusive) in log order, without gaps, for ever: first what is there, then what comes. Each
   * batch holds at most `max` events; an empty one with `caughtUp` tells a reader that begins at the head that it is there.
   * Ends when the signal aborts.
   */
  subscribe(after: Position, max: number, signal: AbortSignal): AsyncIterable<Batch>;

  close(): Promise<void>;
}

/** The append-only log. An acknowledged append survives `kill -9` and power loss. */
export interface EventLog extends EventLogReader {
  /**
   * Appends a decision and then its followers. The decision comes first: when it conflicts, nothing of the list is
   * written. A conflict of a follower concerns that follower alone. Results come in the order of the list.
   * @throws AppendOutcomeUnknown | LogFailed about the decision
   */
  append(list: readonly [Append, ...Append[]]): Promise<readonly AppendResult[]>;
}
