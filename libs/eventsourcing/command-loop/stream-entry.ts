import type { AnyDecider, EventBody, Recorded } from '#kernel';
import { NO_STREAM } from '../ports/event-log.js';
import type { Cause, CommandContext, Outcome } from './context.js';

/** A command that waits to be decided, or for its events to be on disk. */
export interface Pending {
  readonly command: unknown;
  /** Asks for the state alone. */
  readonly read: boolean;
  readonly context: CommandContext;
  /** Set for followers. */
  readonly cause: Cause | undefined;
  /** Machine time (ms, monotonic) after which the caller is told to come again. */
  readonly deadline: number;
  settled: boolean;
  resolve(outcome: Outcome<unknown, EventBody>): void;
  reject(error: unknown): void;
}

/** What the loop knows of one stream: its last durable state, and the commands that wait for it. */
export class StreamEntry {
  revision = NO_STREAM;
  state: unknown;
  loaded = false;
  /** The last revision that the log was heard to have, whoever wrote it. */
  logRevision = NO_STREAM;
  /** By the code of its finding: what the log counts and does not give, and since when (ms, monotonic). */
  unread: { readonly code: string; readonly since: number } | undefined;
  /** A decision of this stream, or an append that this stream takes part in, is under way. */
  busy = false;
  waiting: Pending[] = [];
  /** The commands of the append under way. */
  deciding: readonly Pending[] = [];

  constructor(
    readonly stream: string,
    readonly decider: AnyDecider,
  ) {
    this.state = decider.initialState;
  }

  /** Whether what is known is all that the log has, as far as was heard. */
  get current(): boolean {
    return this.loaded && this.logRevision <= this.revision;
  }

  /**
   * Takes an event that is on disk.
   * @param after the state that it leads to, where that was worked out when it was decided
   */
  take(event: Pick<Recorded, 'revision'> & EventBody, after: unknown = this.decider.evolve(this.state, event)): void {
    this.state = after;
    this.revision = event.revision;
  }

  /** Takes many events that are on disk; a large state is changed in place meanwhile. */
  takeAll(events: readonly Recorded[]): void {
    const { transient } = this.decider;
    if (transient !== undefined) this.state = transient.asMutable(this.state);
    for (const event of events) this.take(event);
    if (transient !== undefined) this.state = transient.asImmutable(this.state);
  }

  /** Reads on before it is used again. */
  doubt(): void {
    this.loaded = false;
  }

  /** Forgets what it knew: the next command reads the stream anew. */
  forget(): void {
    this.loaded = false;
    this.revision = NO_STREAM;
    this.state = this.decider.initialState;
  }
}
