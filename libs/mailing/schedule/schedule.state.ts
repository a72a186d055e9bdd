import { Map } from 'immutable';
import { SCHEDULED_IN_ALL } from '#kernel/bounds';
import type { BatchMode, ScheduleEvent } from './schedule.events.js';

/** A batch's part of the day. */
export interface ScheduledBatch {
  readonly mode: BatchMode;
  /** Shared with its event; empty after it was cancelled. */
  readonly user_ids: readonly string[];
}

/**
 * A partner's day: at most 10000 users, in batches that have had a bounded number of users in all. The maps are persistent, so
 * one more batch costs only its own users.
 */
export interface ScheduleState {
  /** The batch of each user. */
  readonly users: Map<string, string>;
  /** Every batch that was ever scheduled for the day. */
  readonly batches: Map<string, ScheduledBatch>;
  /** What all these batches count. */
  readonly inAll: number;
}

export const noSchedule: ScheduleState = { users: Map(), batches: Map(), inAll: 0 };

/** What a batch of so many users counts in the bound of a day's batches. */
export function countOf(users: number): number {
  return Math.max(users, SCHEDULED_IN_ALL.leastOfBatch);
}

export function evolve({ users, batches, inAll }: ScheduleState, event: ScheduleEvent): ScheduleState {
  const { batch_id } = event.data;
  if (event.type === 'users-scheduled.v1') {
    const { mode, user_ids } = event.data;
    return {
      users: users.withMutations((map) => {
        for (const id of user_ids) map.set(id, batch_id);
      }),
      batches: batches.set(batch_id, { mode, user_ids }),
      inAll: inAll + countOf(user_ids.length),
    };
  }
  const freed = batches.get(batch_id);
  if (freed === undefined) return { users, batches, inAll };
  return { users: users.deleteAll(freed.user_ids), batches: batches.set(batch_id, { ...freed, user_ids: [] }), inAll };
}

/** A copy of the state whose maps `evolve` changes in place. */
export function asMutable({ users, batches, inAll }: ScheduleState): ScheduleState {
  return { users: users.asMutable(), batches: batches.asMutable(), inAll };
}

/** An immutable copy of the state that `asMutable` returned. */
export function asImmutable({ users, batches, inAll }: ScheduleState): ScheduleState {
  return { users: users.asImmutable(), batches: batches.asImmutable(), inAll };
}

/** Whether a user gets no daily update on the schedule's day (ruling F5). */
export function isSuppressed({ users, batches }: ScheduleState, userId: string): boolean {
  const batchId = users.get(userId);
  return batchId !== undefined && batches.get(batchId)?.mode === 'suppress';
}
