import { streamOf } from '#kernel';
import type { EventIds } from '../events/ids.js';
import type { DecisionGuard } from '../ports/decision-guard.js';
import { type AppendResult, NO_STREAM } from '../ports/event-log.js';
import { later } from '../events/later.js';
import type { Follower, JoinedFollower } from './command.js';
import { decideDirective, splitAppend } from './decide-waiting.js';
import { charactersOf } from './event-size.js';
import type { Facts } from './facts.js';
import type { StreamTable } from './stream-table.js';
import { trusts } from './trusts.js';

/** Milliseconds in which followers are joined, or taken, before other calls have their turn. */
export const JOINED_IN_A_TURN = 3;

/** Lets followers join the append of their decision. */
export class FollowerJoiner {
  constructor(
    private readonly parts: {
      readonly streams: StreamTable;
      readonly facts: Facts;
      readonly guard: Pick<DecisionGuard, 'open' | 'refuses'>;
      readonly ids: EventIds;
    },
  ) {}

  /**
   * Adds a follower to its decision's append. Its stream must be idle. The loop assumes that an unknown stream is new if the
   * follower begins it; if it is not, the log answers with a conflict and the follower goes through its queue. No other
   * follower is decided without its stream: a server that has hidden all events of a stream writes to it as to a new one. A
   * follower that lacks a fact which must be read first comes later, too: the decision does not wait for that.
   */
  join(follower: Follower): JoinedFollower | undefined {
    const { streams, facts, guard, ids } = this.parts;
    const { cause, owner } = follower;
    const directive = facts.known(follower.directive);
    if (directive === undefined) return undefined;
    const target = streams.entry(directive.decider, streamOf(directive));
    if (target.busy || target.waiting.length > 0 || !trusts(guard, target.stream)) return undefined;
    if (target.revision === NO_STREAM && !directive.begins) return undefined;
    const events = decideDirective(target, directive, { ...owner.pending, cause }, ids);
    if (events === undefined || splitAppend(events).length > 1) return undefined;
    streams.occupy(target);
    return { follower, target, events };
  }
}

/**
 * Takes what the log answered for a joined follower.
 * @param open the followers that remain to be written: one that is on disk is taken out
 */
export function takeFollower(
  { follower, target, events }: JoinedFollower,
  result: AppendResult | undefined,
  open: Set<Follower>,
): void {
  const { owner } = follower;
  if (result?.kind === 'refused') follower.refusal = result.refusal;
  if (result?.kind !== 'written') {
    target.forget();
    return;
  }
  for (const event of events) {
    const characters = charactersOf(event);
    target.take(event, undefined, characters);
    owner.pending.context.meter?.wrote(characters);
  }
  const last = events.at(-1);
  if (last !== undefined) target.reached(result.position, last.id);
  target.loaded = true;
  owner.followers.push(...events);
  owner.position = later(owner.position, result.position);
  open.delete(follower);
}
