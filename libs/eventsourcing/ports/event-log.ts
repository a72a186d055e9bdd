import type { EventBody, EventMetadata, Instant, Position, Recorded } from '#kernel';
import { Unavailable } from '../errors.js';

/** An event before its append. */
export interface NewEvent extends EventBody {
  /** A UUID in lower case. It belongs to one attempt only: see `EventLog.append`. */
  readonly id: string;
  readonly metadata: EventMetadata;
}

/** The expected revision of a stream that must not exist yet. */
export const NO_STREAM = -1;

/** One append: all of its events or none, to one stream whose last revision must be `expected`. */
export interface Append {
  readonly stream: string;
  readonly expected: number;
  readonly events: readonly NewEvent[];
}

/**
 * `written`: on disk. `conflict`: the stream had another last revision (`actual`), and nothing was written. `skipped`: a
 * follower of a decision that was not written. `refused`: a follower that the log's server refuses; its decision stands.
 * `unknown`: a follower whose answer was lost, or that was not sent because others got no answer.
 */
export type AppendResult =
  | { readonly kind: 'written'; readonly revision: number; readonly position: Position }
  | { readonly kind: 'conflict'; readonly actual: number }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'refused'; readonly refusal: AppendRefused }
  | { readonly kind: 'unknown' };

/** The most events in one append, on every engine. */
export const MAX_APPEND_EVENTS = 100;
/** The most bytes of event data in one append, on every engine. */
export const MAX_APPEND_BYTES = 512 * 1024;

/** About how many bytes of event data one read or one batch has at most, on every engine: it ends with the event that reaches that. */
export const PAGE_BYTES = 8 * 1024 * 1024;

/** Events that one read has found, in order. */
export interface Page<E = Recorded> extends ReadonlyArray<E> {
  /** True if it ends because of `PAGE_BYTES`: there may be more, although it has fewer events than asked for. */
  readonly more?: true;
}

/** @param more whether the page ends because of `PAGE_BYTES` */
export function pageOf<E>(events: readonly E[], more: boolean): Page<E> {
  return more ? Object.assign([...events], { more: true as const }) : events;
}

/** Whether nothing came after the page when it was read. @param asked how many events were asked for */
export function isLastPage(page: Page<unknown>, asked: number): boolean {
  return page.length < asked && page.more !== true;
}

/** The answer to an append was lost, so it may or may not be written. Send it again unchanged until the log answers. */
export class AppendOutcomeUnknown extends Error {
  override name = 'AppendOutcomeUnknown';
}

/** The log has not taken an append: this sending wrote nothing. Send it again unchanged. */
export class AppendNotTaken extends AppendOutcomeUnknown {
  override name = 'AppendNotTaken';
}

/**
 * The log's server refuses an append by a rule that its operator can change: this sending wrote nothing. The message names the
 * stream, and what must be allowed or raised. An earlier sending of the same attempt may have been written, if it got no answer.
 */
export class AppendRefused extends Unavailable {
  override name = 'AppendRefused';
  declare readonly stream: string;
  /** @param bytes of the data that was refused, if the refusal depends on them */
  constructor(
    message: string,
    stream: string,
    readonly bytes?: number,
  ) {
    super(message, 10, stream);
  }
}

/** An append has waited for its turn until nobody wanted it any more: nothing was sent. */
export class AppendWithdrawn extends Error {
  override name = 'AppendWithdrawn';
}

/** Hears how an append of a list goes on. */
export interface AppendProgress {
  /** Called when the list waits for its turn, which may take long although the log answers others. */
  waits(): void;
  /** Whether the list is still wanted, asked while it waits for its turn; if not, nothing is sent. */
  isWanted(): boolean;
  /** Called when the decision is sent. */
  begins(): void;
  /** Called when the decision has its outcome, if its followers are written after it. */
  decided(result: AppendResult): void;
  /** Called when the log has answered an append of the list. */
  answered(): void;
}

/** The log takes no more appends in this process, because a sync failed. This is final: repeat nothing. */
export class LogFailed extends Error {
  override name = 'LogFailed';
}

/** The log cannot be used or read until an operator acts. The message says which log, what is wrong and what to do. */
export class LogUnusable extends Error {
  override name = 'LogUnusable';
}

/** Events in log order, as they arrived together. */
export interface Batch {
  readonly events: readonly Recorded[];
  /** True if the log had nothing more at the time of reading. */
  readonly caughtUp: boolean;
  /** When the server wrote the last of them, by its clock, if it says so. */
  readonly written?: Instant;
}

/** The reading side of the log. It shows only events that are on disk for good. */
export interface EventLogReader {
  /** Identifies this log for ever. Another log, or one restored from elsewhere, has another identity. */
  readonly identity: string;

  /** Whether positions count bytes: the distance between two does not say how many events are between them. */
  readonly countsBytes: boolean;

  /** Whether positions are 1, 2, 3 and so on: one without an event shows that somebody deleted it. */
  readonly dense?: boolean;

  /** How many events of other programs the server has sent to this reader, which gives none of them to its callers. */
  readonly eventsOfOthers?: number;

  /**
   * Events of a stream from revision `from` (inclusive): `max` of them, or fewer at the stream's end (`isLastPage`) or if they
   * have `PAGE_BYTES`. It has at least one if there is one. A missing stream has none.
   */
  readStream(stream: string, from: number, max: number): Promise<Page>;

  /**
   * Whether another program has begun a stream of this name: then it reads as missing, and cannot be written to. Absent if
   * nobody else can write to the log's server.
   * @throws Unavailable if the log cannot be asked
   */
  isOthers?(stream: string): Promise<boolean>;

  /** The position of the last event; 0n for an empty log. */
  head(): Promise<Position>;

  /** The event at exactly this position; undefined if there is none. */
  eventAt(position: Position): Promise<Recorded | undefined>;

  /**
   * Every event after `after` (exclusive), in log order and without gaps, for ever: first the existing ones, then new ones. A
   * batch has at most `max` events, and fewer if they have `PAGE_BYTES`. An empty batch with `caughtUp` means that the
   * reader is at the head. Ends when the signal aborts.
   */
  subscribe(after: Position, max: number, signal: AbortSignal): AsyncIterable<Batch>;

  close(): Promise<void>;
}

/** The append-only log. An acknowledged append survives `kill -9` and power loss. */
export interface EventLog extends EventLogReader {
  /**
   * Appends a decision and then its followers. If the decision conflicts, nothing of the list is written. A conflict of a
   * follower concerns only that follower. Results come in the order of the list.
   *
   * An **attempt** is one decided append. Its events have ids that no other attempt has, in any process, and the caller may
   * send it again, unchanged. An engine may recognise a repeat only by the ids in their place, without a look at types and
   * data. Every engine promises:
   *
   * - `written`: all events are at the revisions after `expected`, the last one at `revision` and `position`. That position
   *   is above every position that was acknowledged or read before the attempt was first sent.
   * - `conflict`: this sending wrote nothing; the stream's last revision was `actual`. An earlier sending of the same
   *   attempt may still have written it.
   * - A **lost** answer (AppendOutcomeUnknown, `unknown`): all of it is written, or nothing.
   * - A **late** append: an append whose answer was lost may reach the log at any time while its stream stands at
   *   `expected`. The end of the stream proves nothing; another event after `expected` proves that it will never be written.
   * - A **repeated** append writes nothing a second time. The answer is `written`, with the first revision and position, or
   *   `conflict`.
   * - An answer that is **true for another process's events** (if two attempts share ids) writes nothing. Only reading the
   *   stream shows its data then, never the answer.
   *
   * - A **refused** append (AppendRefused, `refused`): this sending wrote nothing, nor will it ever.
   *
   * @param progress a log that appends at once may ignore it
   * @throws AppendOutcomeUnknown | AppendRefused | AppendWithdrawn | LogFailed about the decision
   */
  append(list: readonly [Append, ...Append[]], progress?: AppendProgress): Promise<readonly AppendResult[]>;
}
