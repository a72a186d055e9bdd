import type { EventBody, EventMetadata, Instant, Position, Recorded } from '#kernel';

/** An event on its way into the log. */
export interface NewEvent extends EventBody {
  /** A UUID in small letters, of one attempt alone: see `EventLog.append`. */
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

/**
 * What the log holds cannot be used or read, and stays so until an operator has seen to it. The message says which log it is,
 * what is wrong and what to do.
 */
export class LogUnusable extends Error {
  override name = 'LogUnusable';
}

/** Events in log order, as they arrived together. */
export interface Batch {
  readonly events: readonly Recorded[];
  /** True when nothing more was in the log at the time of reading. */
  readonly caughtUp: boolean;
  /** When the last of them was written, by the clock of a server that tells it. */
  readonly written?: Instant;
}

/** The reading side of the log. Only what is on disk for good is ever seen here. */
export interface EventLogReader {
  /** Names this log for ever; another log, or one restored from elsewhere, has another identity. */
  readonly identity: string;

  /** How many events of other programs the log's server has brought to this reader; none of them is given out. */
  readonly foreign?: number;

  /**
   * Events of a stream from revision `from` (inclusive): `max` of them, or fewer where the stream ends; none of a missing
   * one, or beyond its end.
   */
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
   *
   * An **attempt** is one append as it was decided: its events have ids that no other attempt has, in this process or any
   * other, and it may be sent again unchanged. The caller owes that, for an engine may know a repeat by nothing but the ids
   * at their place, and answer without a look at types and data. Of attempts every engine promises:
   *
   * - `written`: all of its events stand at the revisions after `expected`, the last one at `revision` and `position`. That
   *   position is above every one that was acknowledged or read before the attempt was first sent.
   * - `conflict`: this sending wrote nothing, and the stream's last revision was `actual`. Of an attempt that was sent
   *   before, that says nothing: an earlier sending may have written it.
   * - A **lost** answer (AppendOutcomeUnknown, `unknown`): written or not, whole or not at all.
   * - A **late** append: one whose answer was lost may reach the log at any time, as long as its stream stands at `expected`.
   *   That the stream ends there proves nothing; that another event stands behind it proves that it will never be written.
   * - A **repeated** one writes nothing a second time. It is answered `written`, with the revision and position of the first
   *   time, or `conflict`.
   * - An answer that is **true for another process's events** (ids that two attempts share) writes nothing. Which data the
   *   stream has then is known by reading it, and never by the answer.
   *
   * @throws AppendOutcomeUnknown | LogFailed about the decision
   */
  append(list: readonly [Append, ...Append[]]): Promise<readonly AppendResult[]>;
}
