import type { Instant } from './instant.js';
import type { EventPlace } from './stream-name.js';

/** A place in the global order of the log. Opaque but comparable; the smallest is 0n, before every event. */
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
  /** Our time of the decision; followers carry their decision's. */
  readonly time: Instant;
  readonly command_id: string;
  /** The request (or the work list's run) that it all belongs to. */
  readonly correlation: string;
  /**
   * `stream@revision` of the event that it follows from. In another stream: the decision that it carries on. In its own: what
   * the decision goes on from. Null for any other decision.
   */
  readonly causation: string | null;
  /**
   * Partner, operator or system, by name: `operator:ann`, `system:hold-expiry`, `partner:acme/key:<the key's id>`, which of
   * its keys an earlier build did not tell.
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

/** An event as it was decided: everything but its place in the log. */
export type Decided<E extends EventBody = EventBody> = E & Omit<Envelope, 'position'>;
