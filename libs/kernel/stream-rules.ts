import type { Decider } from './decider.js';
import type { EventBody, Recorded } from './event.js';

/** Looks at the events of one stream, one after another from its first one. */
export interface StreamChecker<State = unknown, E extends EventBody = EventBody> {
  /**
   * What contradicts the events before, in words for people: none if nothing does. They name no personal data and no
   * redemption code.
   * @param before the state before the event
   */
  check(before: State, event: Recorded<E>): readonly string[];
  /** About how many bytes it holds; nothing by default. */
  readonly bytes?: number;
}

/** What must be true of each stream of a category, beside what its fold needs: an audit of the log checks it. */
export interface StreamRules {
  readonly category: string;
  /** The types of events that only a decision in another stream leads to. */
  readonly follow: ReadonlySet<string>;
  /** A checker for one stream. */
  begin(): StreamChecker;
}

/**
 * Defines the rules of a decider's streams.
 * @param follow the types that only a decision in another stream leads to
 * @param begin makes the checker of one stream; without it only `follow` is checked
 */
export function defineStreamRules<Command, State, E extends EventBody>(
  { category }: Decider<Command, State, E>,
  follow: readonly E['type'][],
  begin: () => StreamChecker<State, E> = () => ({ check: () => [] }),
): StreamRules {
  return { category, follow: new Set<string>(follow), begin };
}
