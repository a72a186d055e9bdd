/** Of which EventStoreDB the double does what differs: 24.10 never drops a live subscription. */
export type Version = '23.10' | '24.10';

/** How the double is to behave, and misbehave. */
export interface DoubleOptions {
  /** 0: any free one. */
  readonly port?: number;
  /** What is written is appended to it and synced before it is acknowledged, and read from it at the start. */
  readonly file?: string;
  /** 23.10 where absent. */
  readonly version?: Version;
  /** Every so many appends the answer is lost, though the events are stored. */
  readonly loseEvery?: number;
  /** How it is lost: an error at the deadline, no answer at all, or the call breaks. */
  readonly lose?: 'deadline' | 'silence' | 'reset';
  /** What is appended to streams whose names begin like this is stored, and never answered; others are. */
  readonly silentAbout?: string;
  /** What its user may not do: calls of this kind are refused for good. */
  readonly denies?: 'reads' | 'subscriptions' | 'appends';
  /** Every subscription is dropped after so many milliseconds. */
  readonly dropEvery?: number;
  /** Milliseconds before an append is stored and acknowledged. */
  readonly latency?: number;
  /** Deadlines are looked at in steps of so many milliseconds: 2,000 as on EventStoreDB 23.10. */
  readonly step?: number;
  /** So many events of other applications per second, without the metadata of ours. */
  readonly foreign?: number;
}
