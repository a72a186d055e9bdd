/** The EventStoreDB version to imitate where they differ: 24.10 never drops a live subscription. */
export type Version = '23.10' | '24.10';

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
  /** The user's missing permission: calls of this kind are always refused; `$all`: reads and subscriptions of all streams. */
  readonly denies?: 'reads' | 'subscriptions' | '$all' | 'appends';
  /** Every subscription is dropped after this many milliseconds. */
  readonly dropEvery?: number;
  /** Milliseconds before an append is stored and acknowledged. */
  readonly latency?: number;
  /** Deadlines are checked in steps of this many milliseconds: 2,000 as on EventStoreDB 23.10. */
  readonly step?: number;
  /** Events of other applications per second, without our metadata. */
  readonly foreign?: number;
}
