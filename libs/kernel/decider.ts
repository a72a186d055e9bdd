import type { Decided, EventBody } from './event.js';
import type { Instant } from './instant.js';
import { streamName, type EventPlace } from './stream-name.js';

/**
 * The rules of one aggregate as pure functions. Ids and randomness come in the command, the time comes as `now`. That is the
 * clock of the deciding process; it may be before the stream's last event if another clock was ahead.
 */
export interface Decider<Command, State, E extends EventBody> {
  /** The category of the streams, which are named `category-id`. */
  readonly category: string;
  readonly initialState: State;
  /**
   * The events that the command causes; none if nothing changes. A repeated command recognises its own work in the state,
   * because event ids do not protect from a repeat.
   * @param next the revision that the first of its events gets. Only who appends them knows it: without it, a decider refuses
   *   to write an event that names its own revision
   * @throws DomainError if the decider refuses the command
   */
  decide(command: Command, state: State, now: Instant, next?: number): readonly E[];
  /** Never throws and never reads a clock. */
  evolve(state: State, event: E): State;
  /**
   * For large states: their persistent maps fold events several times faster in place. `asMutable` makes a copy that
   * `evolve` may change while nobody else sees it; `asImmutable` ends that.
   */
  readonly transient?: { asMutable(state: State): State; asImmutable(state: State): State };
  /** For large states without personal data, of which the engine then keeps snapshots: copies that a load begins with. */
  readonly snapshot?: StateParts<State>;
  /** For large states: the bytes that one holds in memory, within a fifth. It takes the same short time for every state. */
  weigh?(state: State): number;
}

/**
 * How a state is copied out and made again. Only for states without personal data: a snapshot is not sealed, and nobody erases it
 * with a person.
 */
export interface StateParts<State> {
  /**
   * What the state holds, in parts of at most some 256 KB: values that `v8.serialize` takes. The engine asks for one part after
   * another while later decisions go on, so the state must be immutable.
   */
  parts(state: State): Iterable<unknown>;
  /**
   * The state that these parts hold, equal to the one that the events lead to. It copies typed arrays that it keeps, because all
   * parts share their memory.
   * @throws RangeError for parts that no state has
   */
  from(parts: readonly unknown[]): State;
}

/** A decider without its types, as registries and the command loop hold it. */
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
  /** Whether the command begins its stream: only such a command may be decided on a stream that nobody has read. */
  readonly begins: boolean;
}

/**
 * A command to another stream that lacks a fact of the log, such as a text that its decision names by its place. Whoever runs it
 * reads the fact before.
 */
export interface LackingFact extends Omit<Directive, 'command'> {
  /** The event with the fact. It is older than the decision, and never changes. */
  readonly fact: EventPlace;
  /** The command with the fact; undefined if the event is not the one that the decision means. */
  complete(fact: EventBody): Directive | undefined;
}

/** What follows from a decision in another stream. */
export type FollowUp = Directive | LackingFact;

/** A command to another stream that is there already. */
export function direct<Command, State, E extends EventBody>(
  decider: Decider<Command, State, E>,
  id: string,
  command: Command,
): Directive {
  return { decider, id, command, begins: false };
}

/** A command that begins another stream. If the stream is there already, it is decided on that. */
export function begin<Command, State, E extends EventBody>(
  decider: Decider<Command, State, E>,
  id: string,
  command: Command,
): Directive {
  return { decider, id, command, begins: true };
}

/** A command that begins another stream, and lacks a fact of the log. @param command undefined for a wrong event */
export function beginWith<Command, State, E extends EventBody>(
  decider: Decider<Command, State, E>,
  id: string,
  fact: EventPlace,
  command: (fact: EventBody) => Command | undefined,
): LackingFact {
  return {
    decider,
    id,
    begins: true,
    fact,
    complete(event) {
      const whole = command(event);
      return whole === undefined ? undefined : begin(decider, id, whole);
    },
  };
}

/** The stream of a directive. */
export function streamOf({ decider, id }: Pick<Directive, 'decider' | 'id'>): string {
  return streamName(decider.category, id);
}

/**
 * The followers of an aggregate's decisions: for each event type, the commands to other streams. A type without an entry has
 * none. Each command must write at least one event when it first runs, and must never be refused: the event holds everything
 * that it needs, or the place of it in the log.
 */
export interface Followers {
  readonly category: string;
  readonly on: Readonly<Record<string, (event: Decided<never>) => readonly FollowUp[]>>;
}

/** The entry of an event type without followers. */
export const nothing = (): readonly Directive[] => [];

/** The followers of an aggregate. Every event type of the union must have an entry; otherwise the code does not compile. */
export function defineFollowers<Command, State, E extends EventBody>(
  decider: Decider<Command, State, E>,
  on: { readonly [T in E['type']]: (event: Decided<Extract<E, { type: T }>>) => readonly FollowUp[] },
): Followers {
  const followed = Object.entries(on).filter(([, directives]) => directives !== nothing);
  return { category: decider.category, on: Object.fromEntries(followed) as Followers['on'] };
}
