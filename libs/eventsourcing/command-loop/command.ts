import type { Decided, FollowUp, Position } from '#kernel';
import type { Cause } from './context.js';
import type { LogPlace } from '../scheduling/shown.js';
import type { DecidedCommand } from './decide-waiting.js';
import type { StreamEntry } from './stream-entry.js';

/** An event, about how many bytes it has, the state after it, and its command. */
export interface OwnedEvent {
  readonly event: Decided;
  readonly size: number | undefined;
  readonly after: unknown;
  readonly owner: Command;
}

/** A command under way, and what it has written so far. */
export interface Command extends DecidedCommand {
  state: unknown;
  readonly followers: Decided[];
  /** Followers that did not join the decision's append. */
  readonly late: Promise<unknown>[];
  written: number;
  position: Position | undefined;
  /** The place of the last event that its state has. */
  last: LogPlace | undefined;
}

/** A follower of an event that is being written. */
export interface Follower {
  readonly directive: FollowUp;
  readonly cause: Cause;
  readonly owner: Command;
  /** Why the log's server refused it. */
  refusal?: Error;
}

/** A follower in the append of its decision. */
export interface JoinedFollower {
  readonly follower: Follower;
  readonly target: StreamEntry;
  readonly events: readonly Decided[];
}

/** Decided commands, before anything is written. */
export function commandsOf(decided: readonly DecidedCommand[]): Command[] {
  return decided.map((command) => ({
    ...command,
    followers: [],
    late: [],
    written: 0,
    position: undefined,
    last: undefined,
  }));
}

/** Answers the caller of a command, after its late followers are written. */
export function settle(command: Command): void {
  const { pending } = command;
  const answer = (): void => {
    if (pending.settled) return;
    pending.settled = true;
    if (command.error !== undefined) {
      pending.reject(command.error);
      return;
    }
    const { events, followers, state, position, last } = command;
    pending.resolve({ events, followers, state, position, last });
  };
  const fail = (error: unknown): void => {
    if (pending.settled) return;
    pending.settled = true;
    pending.reject(error);
  };
  if (command.late.length === 0) answer();
  else Promise.all(command.late).then(answer, fail);
}

/**
 * Notes what the states of commands have that lead to no event, when everything is on disk that was decided together with them. A
 * read has the state after all of it.
 * @param appends that it took: events of other streams may be between two of them, and then no place is known
 */
export function placeUnchanged(commands: readonly Command[], { position, state }: StreamEntry, appends = 0): void {
  let back = 0;
  for (const command of commands.toReversed()) {
    if (command.events.length > 0) back += command.events.length;
    else if (command.pending.read && command.error === undefined) {
      command.state = state;
      command.last = position === undefined ? undefined : { position, back: 0 };
    } else if (position !== undefined && appends <= 1) command.last = { position, back };
  }
}
