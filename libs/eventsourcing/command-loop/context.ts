import type { Decided, EventBody, Instant, Position } from '#kernel';

/** Who sends a command, and under which id. */
export interface CommandContext {
  /** From `newCommandId`. A repeat of the same request may come under the same id. */
  readonly commandId: string;
  readonly correlation: string;
  readonly actor: string;
  /** The request broke off before, and runs again under the same command id: what it has done by then is found by `writtenBefore`. */
  readonly resumed?: boolean;
  /** The earlier event of the same stream that the command goes on from, `stream@revision`: a decision names it as its cause. */
  readonly causation?: string;
}

/** What a command did. */
export interface Outcome<State, E extends EventBody> {
  /** Its own events; none when it was already so. */
  readonly events: readonly Decided<E>[];
  /** The events that followed in other streams, in their order. */
  readonly followers: readonly Decided[];
  /** The state that it was decided on and that its events led to; on disk by now. */
  readonly state: State;
  /** The last position that it wrote; undefined when it wrote nothing. */
  readonly position: Position | undefined;
}

/** A follower's place in its decision. */
export interface Cause {
  readonly causation: string;
  /** The decision's instant, which its followers carry. */
  readonly time: Instant;
}

/** What a use case hands to its controller: the row to present, and how far it wrote. */
export interface Done<Row> {
  readonly row: Row;
  readonly position: Position | undefined;
}
