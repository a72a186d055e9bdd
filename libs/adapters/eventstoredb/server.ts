/** An event on its way to the server. What the client cannot write as JSON hangs it: see `checkAppend` and `jsonOf`. */
export interface Outgoing {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata?: object;
}

/** An event as the server holds it, whosoever it is. */
export interface ServerEvent extends Required<Outgoing> {
  readonly stream: string;
  readonly revision: number;
  readonly position: bigint;
}

/** What the server said to an append; everything else is no answer. */
export type Answer =
  | { readonly kind: 'written'; readonly revision: number; readonly position: bigint }
  | { readonly kind: 'conflict'; readonly actual: number };

/** Told of a subscription's events in their order, and once, when it is no more. */
export interface Subscriber {
  event(event: ServerEvent): void;
  dropped(): void;
}

/** No event begins at the position that was asked for. */
export class NoEventThere extends Error {
  override name = 'NoEventThere';
}

/** What the log needs of a server's client. Who takes another client writes this anew. */
export interface Server {
  /**
   * All of the events or none, on this revision. Always an explicit one: with it a repeat of the same ids gets the first
   * outcome, from the stream itself, for ever. Settles within a minute of being sent.
   * @throws RangeError for what is larger than the server's bound; anything else leaves the outcome unknown
   */
  append(stream: string, expected: number, events: readonly Outgoing[]): Promise<Answer>;

  /** From this revision on, inclusive; empty for a missing stream. */
  readStream(stream: string, from: number, max: number): Promise<readonly ServerEvent[]>;

  /**
   * Everybody's events in log order from this position on, inclusive; 0n is the beginning. Fewer than `max` are all there
   * are. The server has no filter for reads.
   * @throws NoEventThere
   */
  readAll(from: bigint, max: number): Promise<readonly ServerEvent[]>;

  /** Everybody's last events before this position, or before the end, the last one first. */
  readBack(before: bigint | undefined, max: number): Promise<readonly ServerEvent[]>;

  /**
   * The events after this position, exclusive, of streams whose names begin with `prefix`; where that is empty, all but the
   * system's. EventStoreDB before 24.2 drops subscriptions as soon as a burst is larger than its buffer of 32 events.
   * @returns how to leave it
   */
  subscribe(after: bigint, prefix: string, subscriber: Subscriber): () => void;

  /** Ends reads and subscriptions. No append of this connection may be under way. */
  close(): Promise<void>;
}

/** What an error of the client says; its message may be empty, and its code says more. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { type, code } = error as { type?: unknown; code?: unknown };
  return [type, code, error.message].filter((part) => part !== undefined && part !== '').join(' ');
}
