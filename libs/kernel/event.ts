import type { Instant } from './instant.js';
import type { EventPlace } from './stream-name.js';

/** A place in the global order of the log: opaque, but comparable. 0n is before every event. */
export type Position = bigint;

/** What a decider emits: a stored type name with its version (`hold-placed.v1`) and plain JSON data. */
export interface EventBody {
  readonly type: string;
  readonly data: object;
}

/** One event type of an aggregate's union. */
export interface EventOf<Type extends string, Data extends object> {
  readonly type: Type;
  readonly data: Data;
}

/** Who and what caused an event. */
export interface EventMetadata {
  /** Our time of the decision. A follower has the time of its decision. */
  readonly time: Instant;
  readonly command_id: string;
  /** The request, or the run of a work list, that all of this belongs to. */
  readonly correlation: string;
  /**
   * `stream@revision` of the event that caused this one. In another stream it is the decision that this event follows; in
   * the same stream, the decision that this one continues. Null for any other decision.
   */
  readonly causation: string | null;
  /**
   * The partner, operator or system by name: `operator:ann`, `system:hold-expiry`, `partner:acme/key:<the key's id>`. A
   * user who followed a link in a mail: `user:<their id>`.
   */
  readonly actor: string;
}

/** What the log adds to an event. */
export interface Envelope extends EventPlace {
  readonly id: string;
  readonly position: Position;
  readonly metadata: EventMetadata;
}

/** An event as the log holds it. */
export type Recorded<E extends EventBody = EventBody> = E & Envelope;

/** A decided event: everything but its place in the log. */
export type Decided<E extends EventBody = EventBody> = E & Omit<Envelope, 'position'>;
