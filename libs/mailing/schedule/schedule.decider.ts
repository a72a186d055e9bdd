import { defineDecider, type Instant } from '#kernel';
import { MOST_SCHEDULED, SCHEDULED_IN_ALL } from '#kernel/bounds';
import { BatchInvalid, type BatchFault } from '../batch/batch.faults.js';
import { isTomorrow } from './schedule-day.js';
import type { ScheduleEvent, UsersScheduled } from './schedule.events.js';
import { asImmutable, asMutable, countOf, evolve, noSchedule, type ScheduleState } from './schedule.state.js';

export interface ScheduleUsers {
  readonly type: 'schedule';
  /** The users are the caller's, each once: the decision drops those who are in another batch of the day. */
  readonly batch: Omit<UsersScheduled, 'scheduled'>;
  /** Whether the caller has sent other ids too, which name none of their users. */
  readonly withUnknown: boolean;
}

export type ScheduleCommand = ScheduleUsers | { readonly type: 'free'; readonly batch_id: string };

/** What a state holds for each user who is in a batch, and for each batch, as measured. */
const BYTES_PER_USER = 176;
const BYTES_PER_BATCH = 400;

/**
 * A partner's day (interface 4.14, 8, rulings F2, F3): a user is in one batch at most, and at most 10000 users are in any. Both
 * hold for batches that arrive together, because one stream decides them.
 */
export const schedule = defineDecider<ScheduleCommand, ScheduleState, ScheduleEvent>({
  category: 'schedule',
  initialState: noSchedule,
  evolve,
  transient: { asMutable, asImmutable },
  weigh: ({ users, batches }) => BYTES_PER_USER * users.size + BYTES_PER_BATCH * batches.size,
  decide(command, state, now) {
    if (command.type === 'schedule') return take(command, state, now);
    const freed = state.batches.get(command.batch_id)?.user_ids ?? [];
    if (freed.length === 0) return [];
    const scheduled = state.users.size - freed.length;
    return [{ type: 'users-freed.v1', data: { batch_id: command.batch_id, scheduled } }];
  },
});

function take({ batch, withUnknown }: ScheduleUsers, state: ScheduleState, now: Instant): ScheduleEvent[] {
  if (state.batches.has(batch.batch_id)) return [];
  const faults: BatchFault[] = isTomorrow(batch.send_at, now) ? [] : [{ field: 'send_at', code: 'not_tomorrow' }];
  const fault = recipientsFault(batch.user_ids, withUnknown, state);
  if (fault !== undefined) faults.push(fault);
  if (faults.length > 0) throw new BatchInvalid(faults);
  const user_ids = batch.user_ids.filter((id) => !state.users.has(id));
  const scheduled = state.users.size + user_ids.length;
  return [{ type: 'users-scheduled.v1', data: { ...batch, user_ids, scheduled } }];
}

/**
 * Why no batch of these users can be scheduled for the day; undefined if one can.
 * @param userIds the partner's users among the ids that the caller has sent, each once
 * @param withUnknown whether there were other ids too
 */
export function recipientsFault(
  userIds: readonly string[],
  withUnknown: boolean,
  { users, inAll }: ScheduleState,
): BatchFault | undefined {
  const fresh = userIds.filter((id) => !users.has(id)).length;
  if (fresh === 0) return { field: 'user_ids', code: withUnknown || userIds.length === 0 ? 'invalid' : 'scheduled' };
  if (users.size + fresh > MOST_SCHEDULED) return { field: 'user_ids', code: 'day_full' };
  return inAll + countOf(fresh) > SCHEDULED_IN_ALL.users ? { field: 'user_ids', code: 'day_used_up' } : undefined;
}
