import type { Position } from '#kernel';
import type { Append, AppendResult } from '../ports/event-log.js';
import type { Time } from '../ports/time.js';
import { Slices } from '../scheduling/slices.js';
import type { Follower, JoinedFollower, OwnedEvent } from './command.js';
import { JOINED_IN_A_TURN, takeFollower } from './follower-joiner.js';
import type { LateFollowers } from './late-followers.js';
import type { SeenLog } from './seen-log.js';
import type { StreamEntry } from './stream-entry.js';

/** An append whose decision is written, and its followers not yet. */
export interface Unfinished {
  readonly appended: Promise<readonly AppendResult[]>;
  readonly list: readonly Append[];
  /** The furthest position known before it was first sent. */
  readonly seen: Position;
  readonly joined: readonly JoinedFollower[];
  /** The followers that remain to be written. */
  readonly open: Set<Follower>;
}

/** Finishes appends whose decisions are written before their many followers. */
export class UnfinishedAppends {
  readonly #waiting = new Set<Pick<StreamEntry, 'stream' | 'deciding' | 'waiting'>>();

  constructor(
    private readonly parts: {
      readonly seen: SeenLog;
      readonly time: Time;
      readonly late: LateFollowers;
      /** Frees the stream of a follower. */
      release(target: StreamEntry): void;
    },
  ) {}

  /** Decisions that are written, and whose callers wait for many followers. */
  get waiting(): Iterable<Pick<StreamEntry, 'stream' | 'deciding' | 'waiting'>> {
    return this.#waiting;
  }

  /** Answers the callers of decisions that are written when their many followers are, too. */
  finishLater(unfinished: Unfinished, { stream }: StreamEntry, owned: readonly OwnedEvent[]): void {
    const owners = new Set(owned.map(({ owner }) => owner));
    const finished = this.#finish(unfinished);
    const waiting = { stream, deciding: [...owners].map(({ pending }) => pending), waiting: [] };
    this.#waiting.add(waiting);
    const over = (): void => void this.#waiting.delete(waiting);
    finished.then(over, over);
    for (const owner of owners) {
      const late = finished.then((lates) => Promise.all(lates.get(owner) ?? []));
      late.catch(() => undefined);
      owner.late.push(late);
    }
  }

  /** @returns the followers that go through the queues of their streams, by their owner */
  async #finish({ appended, list, seen, joined, open }: Unfinished): Promise<ReadonlyMap<unknown, Promise<void>[]>> {
    const { parts } = this;
    const taken = new Set<JoinedFollower>();
    try {
      const results = await appended;
      await parts.seen.check(list, results, seen);
      const slices = new Slices(parts.time, JOINED_IN_A_TURN);
      for (const [index, part] of joined.entries()) {
        if (slices.isOver) await slices.next();
        takeFollower(part, results[index + 1], open);
        taken.add(part);
        parts.release(part.target);
      }
    } finally {
      for (const part of joined) {
        if (taken.has(part)) continue;
        part.target.forget();
        parts.release(part.target);
      }
    }
    const lates = new Map<unknown, Promise<void>[]>();
    for (const follower of open) {
      const own = lates.get(follower.owner) ?? [];
      own.push(parts.late.write(follower));
      lates.set(follower.owner, own);
    }
    return lates;
  }
}
