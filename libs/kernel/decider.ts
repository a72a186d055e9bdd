import type { Decided, EventBody } from './event.js';
import type { Instant } from './instant.js';
import { streamName } from './stream-name.js';

/**
 * The rules of one aggregate, as pure functions. Ids and randomness come in the command, the time as `now`: the clock of
 * the process that decides, which may lie before the stream's last event where another clock was ahead.
 */
export interface Decider<Command, State, E extends EventBody> {
  /** The streams are named `category-id`. */
  readonly category: string;
  readonly initialState: State;
  /**
   * The events that the command causes; none when it is already so. A command that is run again recognises what it has
   * done in the state, for event ids do not protect from a repeat.
   * @throws DomainError when the command is refused
   */
  decide(command: Command, state: State, now: Instant): readonly E[];
  /** Never throws, never reads a clock. */
  evolve(state: State, event: E): State;
  /**
   * For large states, whose persistent maps fold many events several times faster in place: a copy that `evolve` may change
   * (nobody else sees it), and back to one that nobody changes.
   */
  readonly transient?: { asMutable(state: State): State; asImmutable(state: State): State };
}

/** A decider whose types are known only to itself; what registries and the command loop hold. */
export type AnyDecider = Decider<unknown, unknown, EventBody>;

export function defineDecider<Command, State, E extends EventBody>(
  decider: Decider<Command, State, E>,
): Decider<Command, State, E> {
  if (decider.category.includes('-')) {
    throw new Error(`the category ${decider.category} has a dash: categories end at the first one`);
  }
  return decider;
}

/** A command to another stream. */
export interface Directive {
  readonly decider: AnyDecider;
  readonly id: string;
  readonly command: unknown;
}

export function direct<Command, State, E extends EventBody>(
  decider: Decider<Command, State, E>,
  id: string,
  command: Command,
): Directive {
  return { decider, id, command };
}

/** The stream that a directive is decided in. */
export function streamOf({ decider, id }: Directive): string {
  return streamName(decider.category, id);
}

/**
 * What follows in other streams from an aggregate's decisions: per event type, the commands that carry it there; a type
 * without an entry leads to nothing. Each of them must write at least one event when it first runs, and cannot be refused: everything that it needs is in the event.
 */
export interface Followers {
  readonly category: string;
  readonly on: Readonly<Record<string, (event: Decided<never>) => readonly Directive[]>>;
}

/** The entry of an event type that nothing follows from in other streams. */
export const nothing = (): readonly Directive[] => [];

/** Every event type of the aggregate has its entry: a type without one does not compile. */
export function defineFollowers<Command, State, E extends EventBody>(
  decider: Decider<Command, State, E>,
  on: { readonly [T in E['type']]: (event: Decided<Extract<E, { type: T }>>) => readonly Directive[] },
): Followers {
  const followed = Object.entries(on).filter(([, directives]) => directives !== nothing);
  return { category: decider.category, on: Object.fromEntries(followed) as Followers['on'] };
}
