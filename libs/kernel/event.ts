import type { Instant } from './instant.js';

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
export interface Envelope {
  readonly id: string;
  readonly stream: string;
  /** From 0, without gaps, within the stream. */
  readonly revision: number;
  readonly position: Position;
  readonly metadata: EventMetadata;
}

/** An event as the log holds it. */
export type Recorded<E extends EventBody = EventBody> = E & Envelope;

/** An event as it was decided: everything but its place in the log. */
export type Decided<E extends EventBody = EventBody> = E & Omit<Envelope, 'position'>;

/** `category-id`; a category holds no dash, for categories end at the first one. */
export function streamName(category: string, id: string): string {
  return `${category}-${id}`;
}

/** The name under which a later event points back to this one. */
export function causationOf(event: Pick<Envelope, 'stream' | 'revision'>): string {
  return `${event.stream}@${event.revision}`;
}
