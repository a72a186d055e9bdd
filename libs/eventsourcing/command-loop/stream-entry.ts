import type { AnyDecider, EventBody, Position, Recorded } from '#kernel';
import type { CallTime } from '../scheduling/call-deadline.js';
import type { LogPlace } from '../scheduling/shown.js';
import { NO_STREAM } from '../ports/event-log.js';
import type { Snapshot } from '../ports/snapshot-store.js';
import type { Span } from '../ports/tracer.js';
import { SnapshotTail, weightOf } from '../snapshots/snapshot-tail.js';
import type { Cause, CommandContext, Outcome } from './context.js';
import { charactersOf } from './event-size.js';
import { heldBytes } from './held-bytes.js';

/** A command that waits for its decision, or for its events to be on disk. */
export interface Pending {
  readonly command: unknown;
  /** The caller wants only the state. */
  readonly read: boolean;
  readonly context: CommandContext;
  /** Set only for followers. */
  readonly cause: Cause | undefined;
  /** Machine time (ms, monotonic) at which it came. */
  readonly since: number;
  /** Machine time (ms, monotonic) at which the loop rejects the command. */
  deadline: number;
  /** The call that waits for it. */
  readonly call: CallTime | undefined;
  /** The span that it is for; undefined if nobody traces it. */
  readonly span: Span | undefined;
  /** Whether a read of the stream began after it came, so that its refusal rests on no older state. */
  looked: boolean;
  settled: boolean;
  resolve(outcome: Outcome<unknown, EventBody>): void;
  reject(error: unknown): void;
}

/** The bytes that a stream needs beside its state and its name: this object, and its places in the cache. */
export const LEAST_WEIGHT = 600;
/** A state is looked through again when its stream has grown by this part of what the state weighed. */
const LOOKED_AGAIN = 1 / 8;

/** What the loop knows of one stream: the last durable state and the waiting commands. */
export class StreamEntry {
  revision = NO_STREAM;
  /** The position of the event with this revision; undefined if there is none. */
  position: Position | undefined;
  state: unknown;
  loaded = false;
  /** What its state weighed when it was looked through last, and the characters of its events since then. */
  #held = 0;
  #since = 0;
  /** The last revision that the log is known to have, whoever wrote it. */
  logRevision = NO_STREAM;
  /** Events that the log counts but does not give: the code of their finding, and the time (ms, monotonic) since when. */
  unread: { readonly code: string; readonly since: number } | undefined;
  /** The stream is being decided on, or takes part in an append. */
  busy = false;
  waiting: Pending[] = [];
  /** The commands of the append under way. */
  deciding: readonly Pending[] = [];
  /** What came after its last snapshot; undefined if it has none. */
  tail: SnapshotTail | undefined;

  /** @param snapshotEvery the events after which a snapshot is due; undefined if it has none */
  constructor(
    readonly stream: string,
    readonly decider: AnyDecider,
    snapshotEvery?: number,
  ) {
    this.state = decider.initialState;
    if (snapshotEvery !== undefined) this.tail = new SnapshotTail(snapshotEvery);
  }

  /** The place of its last event. */
  get last(): LogPlace | undefined {
    return this.position === undefined ? undefined : { position: this.position, back: 0 };
  }

  /** Whether the known state has every event that the log is known to have. */
  get current(): boolean {
    return this.loaded && this.logRevision <= this.revision;
  }

  /** About how many bytes of memory it needs. */
  get weight(): number {
    const beside = LEAST_WEIGHT + this.stream.length;
    const { decider } = this;
    if (decider.weigh !== undefined) return beside + decider.weigh(this.state);
    // So the time that it takes depends on what was written, not on how large the state is.
    if (this.#since > this.#held * LOOKED_AGAIN) {
      this.#held = heldBytes(this.state);
      this.#since = 0;
    }
    return beside + this.#held + this.#since;
  }

  /**
   * Takes an event that is on disk.
   * @param after the state after the event, if the decision worked it out
   * @param characters of the event, if somebody has counted them
   */
  take(
    event: Pick<Recorded, 'revision' | 'id'> & EventBody,
    after: unknown = this.decider.evolve(this.state, event),
    characters?: number,
  ): void {
    this.state = after;
    this.revision = event.revision;
    if (this.tail === undefined && this.decider.weigh !== undefined) return;
    const counted = characters ?? charactersOf(event);
    this.#since += counted;
    this.tail?.took(event.revision, event.id, counted);
  }

  /** Takes many events that are on disk. A large state is changed in place meanwhile. */
  takeAll(events: readonly Recorded[]): void {
    const { transient } = this.decider;
    if (transient !== undefined) this.state = transient.asMutable(this.state);
    for (const event of events) this.take(event);
    if (transient !== undefined) this.state = transient.asImmutable(this.state);
  }

  /** Notes the position of the last event that it took. */
  reached(position: Position, id: string): void {
    this.position = position;
    if (this.tail !== undefined) this.tail.last = { revision: this.revision, position, id };
  }

  /** Takes the state of a snapshot: what comes after it is read next. */
  restore(state: unknown, { revision, position, event, first, parts }: Snapshot): void {
    if (this.tail === undefined) return;
    const weight = weightOf(this.decider, state, parts);
    this.state = state;
    this.revision = revision;
    this.#since = weight;
    this.tail = new SnapshotTail(this.tail.every, first);
    this.tail.kept(revision, weight, 0);
    this.reached(position, event);
  }

  /** Forgets the state: the next command reads the stream from the beginning. */
  forget(): void {
    this.loaded = false;
    this.revision = NO_STREAM;
    this.position = undefined;
    this.state = this.decider.initialState;
    this.#held = this.#since = 0;
    if (this.tail !== undefined) this.tail = new SnapshotTail(this.tail.every);
  }
}
