import { causationOf, type Decided, type FollowUp, type Position } from '#kernel';
import { later } from '../events/later.js';
import { type Append, type AppendProgress, type AppendResult, type EventLog, NO_STREAM } from '../ports/event-log.js';
import type { Machine } from '../ports/machine.js';
import { hasBegun } from '../scheduling/call-deadline.js';
import { Slices } from '../scheduling/slices.js';
import type { AppendTraces } from './append-traces.js';
import { appendUntilKnown } from './append-until-known.js';
import type { Follower, JoinedFollower, OwnedEvent } from './command.js';
import { toAppend } from './decide-waiting.js';
import { charactersOf } from './event-size.js';
import { type FollowerJoiner, JOINED_IN_A_TURN, takeFollower } from './follower-joiner.js';
import type { LateFollowers } from './late-followers.js';
import type { LoopLimits } from './limits.js';
import type { SeenLog } from './seen-log.js';
import type { StreamEntry } from './stream-entry.js';
import type { UnfinishedAppends } from './unfinished-appends.js';

/** Writes the decisions of a stream together with their followers, and takes what is on disk then. */
export class BatchAppender {
  constructor(
    private readonly parts: {
      readonly log: EventLog;
      readonly machine: Machine;
      readonly limits: Pick<LoopLimits, 'many' | 'begun' | 'patience' | 'repeatAfter'>;
      readonly seen: SeenLog;
      readonly joiner: FollowerJoiner;
      readonly late: LateFollowers;
      readonly unfinished: UnfinishedAppends;
      /** Ends the repeats of appends whose outcome is unknown. */
      readonly stop: AbortSignal;
      /** Counts the appends. */
      readonly stats: { appends: number };
      /** Set if appends are traced. */
      readonly traces: AppendTraces | undefined;
      /** What follows from a decision in other streams. */
      followersOf(decision: Decided): readonly FollowUp[];
      /** Frees the stream of a follower. */
      release(target: StreamEntry): void;
    },
  ) {}

  /**
   * Writes one part with the followers that can join it.
   * @returns the stream's last revision on a conflict, which leaves nothing of the part written
   */
  async append(entry: StreamEntry, owned: readonly OwnedEvent[]): Promise<number | undefined> {
    const { parts } = this;
    const joined: JoinedFollower[] = [];
    /** The followers that remain to be written, in order. */
    const open = new Set<Follower>();
    let written = false;
    /** Whether the followers are finished later. */
    let isLeft = false;
    try {
      // 4. Join followers.
      const slices = new Slices(parts.machine.time, JOINED_IN_A_TURN);
      for (const { event, owner } of owned) {
        if (owner.pending.cause !== undefined) continue;
        const cause = { causation: causationOf(event), time: event.metadata.time };
        for (const directive of parts.followersOf(event)) {
          if (slices.isOver) await slices.next();
          const follower = { directive, cause, owner };
          open.add(follower);
          const part = parts.joiner.join(follower);
          if (part !== undefined) joined.push(part);
        }
      }
      // 5. Append.
      parts.stats.appends += 1;
      const list: [Append, ...Append[]] = [
        toAppend(owned.map(({ event }) => event)),
        ...joined.map(({ events }) => toAppend(events)),
      ];
      const seen = parts.seen.position;
      const decided = Promise.withResolvers<AppendResult>();
      const append = (): Promise<readonly AppendResult[]> =>
        appendUntilKnown(
          parts.log,
          list,
          parts.stop,
          parts.limits.repeatAfter,
          parts.machine,
          this.#progressOf(owned, list, decided.resolve),
        );
      const appended = parts.traces === undefined ? append() : parts.traces.around(owned, list, append);
      const early = list.length > parts.limits.many ? await first(decided.promise, appended) : undefined;
      if (early?.kind === 'written') {
        // The next commands of the stream need not wait for the followers of these.
        isLeft = true;
        parts.unfinished.finishLater({ appended, list, seen, joined, open }, entry, owned);
        await parts.seen.check(list, [early], seen);
        takeDecided(entry, owned, early.position);
        return undefined;
      }
      const results = await appended;
      await parts.seen.check(list, results, seen);
      const [decision] = results;
      if (decision?.kind !== 'written') return decision?.kind === 'conflict' ? decision.actual : NO_STREAM;
      // 6. Take.
      written = true;
      takeDecided(entry, owned, decision.position);
      joined.forEach((part, index) => takeFollower(part, results[index + 1], open));
    } finally {
      for (const { target } of isLeft ? [] : joined) {
        if (!written) target.forget();
        parts.release(target);
      }
    }
    for (const follower of open) follower.owner.late.push(parts.late.write(follower));
    return undefined;
  }

  /**
   * An append of decisions whose callers have all been rejected is not begun; a follower is, because its decision is written. One
   * with many lists of events gives its callers more time once it begins.
   */
  #progressOf(
    owned: readonly OwnedEvent[],
    { length }: readonly Append[],
    decided: (result: AppendResult) => void,
  ): AppendProgress {
    const { limits, machine } = this.parts;
    const waiting = new Set(owned.map(({ owner: { pending } }) => pending));
    return {
      waits: () => undefined,
      isWanted: () => [...waiting].some(({ settled, cause }) => !settled || cause !== undefined),
      begins: () => {
        if (length <= limits.many) return;
        const until = machine.time.monotonic() + limits.begun - limits.patience;
        for (const pending of waiting) {
          hasBegun(pending.call);
          pending.deadline = Math.max(pending.deadline, until);
        }
      },
      decided,
      answered: () => undefined,
    };
  }
}

/** Takes decisions that are on disk. */
function takeDecided(entry: StreamEntry, owned: readonly OwnedEvent[], position: Position): void {
  for (const [index, { event, size, after, owner }] of owned.entries()) {
    const characters = charactersOf(event, size);
    entry.take(event, after, characters);
    owner.pending.context.meter?.wrote(characters);
    owner.written += 1;
    owner.position = later(owner.position, position);
    owner.last = { position, back: owned.length - 1 - index };
  }
  const last = owned.at(-1);
  if (last !== undefined) entry.reached(position, last.event.id);
}

/** The result of a list's decision if it is known before the rest; undefined if it is not. */
function first(decided: Promise<AppendResult>, all: Promise<unknown>): Promise<AppendResult | undefined> {
  return Promise.race([decided, all.then(() => undefined)]);
}
