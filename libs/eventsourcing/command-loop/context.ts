import type { Decided, EventBody, Instant, Position } from '#kernel';
import type { LogPlace } from '../scheduling/shown.js';

/** Learns what a caller writes. */
export interface WriteMeter {
  /** @param characters of the JSON of events that its commands led to, and that are on disk */
  wrote(characters: number): void;
}

/** The sender and the id of a command. */
export interface CommandContext {
  /** Made by `newCommandId`. A repeat of the same request may have the same id. */
  readonly commandId: string;
  readonly correlation: string;
  readonly actor: string;
  /** Set if somebody counts what the sender writes. */
  readonly meter?: WriteMeter | undefined;
  /** The request broke off before and now runs again under the same command id. `Writer.repeat` finds what it did then. */
  readonly resumed?: boolean;
  /**
   * The earlier event of the same stream, `stream@revision`, that this command continues. The decision names it as its
   * cause.
   */
  readonly causation?: string;
}

/** What a command did. */
export interface Outcome<State, E extends EventBody> {
  /** The command's own events; none if nothing changed. */
  readonly events: readonly Decided<E>[];
  /** The events of its followers in other streams, in order. */
  readonly followers: readonly Decided[];
  /** The state after the command's events, or the state of the decision if there are none. It is on disk. */
  readonly state: State;
  /** The last position that the command wrote; undefined if it wrote nothing. */
  readonly position: Position | undefined;
  /** The place of the last event that the state has; undefined if there is none, or if it is not known. */
  readonly last: LogPlace | undefined;
}

/** The state of an aggregate, and the place of the last event that it has; undefined if there is none. */
export interface StateAt<State> {
  readonly state: State;
  readonly last: LogPlace | undefined;
}

/** The decision that a follower follows. */
export interface Cause {
  readonly causation: string;
  /** The decision's time, which its followers carry. */
  readonly time: Instant;
}

/** What a use case returns to its controller: the row to present, and the last position that it wrote. */
export interface Done<Row> {
  readonly row: Row;
  readonly position: Position | undefined;
}
