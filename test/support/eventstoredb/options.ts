/** How the double is to behave, and misbehave. */
export interface DoubleOptions {
  /** 0: any free one. */
  readonly port?: number;
  /** Events are appended to it and synced before they are acknowledged, and read from it at the start. */
  readonly file?: string;
  /** Every so many appends the answer is lost, though the events are stored. */
  readonly loseEvery?: number;
  /** How it is lost: an error at the deadline, no answer at all, or the call breaks. */
  readonly lose?: 'deadline' | 'silence' | 'reset';
  /** Every subscription is dropped after so many milliseconds. */
  readonly dropEvery?: number;
  /** Milliseconds before an append is stored and acknowledged. */
  readonly latency?: number;
  /** Deadlines are looked at in steps of so many milliseconds: 2,000 as on EventStoreDB 23.10. */
  readonly step?: number;
  /** It refuses to say what it can do, as amid a stop: code 13. */
  readonly stopping?: boolean;
}
