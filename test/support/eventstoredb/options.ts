/**
 * The version to imitate where they differ. Only 23.10 drops a live subscription, and delivers events below a position beyond
 * the end. KurrentDB 26.1 says again that it has caught up when a subscription had fallen back, and calls a position inside an
 * event invalid.
 */
export type Version = '23.10' | '24.10' | '26.1';

/** The behaviour of the double, and its faults. */
export interface DoubleOptions {
  /** 0: any free one. */
  readonly port?: number;
  /** Every write is appended to it and synced before it is acknowledged, and read from it at the start. */
  readonly file?: string;
  /** 23.10 by default. */
  readonly version?: Version;
  /** For every so many appends, one answer is lost, although the events are stored. */
  readonly loseEvery?: number;
  /** How the answer is lost: an error at the deadline, no answer at all, or the call breaks. */
  readonly lose?: 'deadline' | 'silence' | 'reset';
  /** Appends to streams whose names begin like this are stored and never answered. */
  readonly silentAbout?: string;
  /** How far its clock is ahead, in milliseconds: it judges instants by it, and stamps events with it. */
  readonly clock?: number;
  /** The user may not append to streams whose names begin like this. */
  readonly deniesStreams?: string;
  /** The most bytes of one append: 1 MiB by default, from 26.1 on 256 MiB. */
  readonly maxAppendSize?: number;
  /** The most bytes of one event, from 26.1 on: 16 MiB by default. */
  readonly maxAppendEventSize?: number;
  /** Appends to streams whose names begin like this get an answer with a name that nobody knows. */
  readonly strangeAbout?: string;
  /** Appends to streams whose names begin like this get the answer that the server is too busy. */
  readonly tooBusyFor?: string;
  /** The user's missing permission: calls of this kind are always refused; `$all`: reads and subscriptions of all streams. */
  readonly denies?: 'reads' | 'subscriptions' | '$all' | 'appends';
  /** Every subscription is dropped after this many milliseconds. */
  readonly dropEvery?: number;
  /** Milliseconds before an append is stored and acknowledged. */
  readonly latency?: number;
  /** Deadlines are checked in steps of this many milliseconds: 2,000 as on EventStoreDB 23.10. */
  readonly step?: number;
  /**
   * Milliseconds that a subscription takes to search 2,500 events, as a server does that is not in its reader's process. By default
   * it searches at once, and so far beyond what a reader wants who leaves.
   */
  readonly searching?: number;
  /** Events of other applications per second, without our metadata. */
  readonly foreign?: number;
}
