// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';

/** What the users of a batch get of the daily update on that day (interface 4.14). */
export const BATCH_MODES = ['suppress', 'augment'] as const;
export type BatchMode = (typeof BATCH_MODES)[number];

/** Users have a place in a partner's day: the batch that is made of them. */
export interface UsersScheduled {
  readonly batch_id: string;
  readonly partner_id: string;
  readonly deal_id: string;
  readonly mode: BatchMode;
  readonly send_at: Instant;
  /** Each once, in the caller's order. */
  readonly user_ids: readonly string[];
  /** Users of the day after the event. */
  readonly scheduled: number;
}

/** The users of a cancelled batch are free for another batch of that day. */
export type UsersFreed = Pick<UsersScheduled, 'batch_id' | 'scheduled'>;

/** Who gets a batch's mail on a partner's day is decided in one stream per partner and day. */
export type ScheduleEvent = EventOf<'users-scheduled.v1', UsersScheduled> | EventOf<'users-freed.v1', UsersFreed>;

export const scheduleEvents = defineEventTypes<ScheduleEvent>(
  'schedule',
  {
    'users-scheduled.v1': true,
    'users-freed.v1': true,
  },
  [],
  { 'users-scheduled.v1': ['scheduled'], 'users-freed.v1': ['scheduled'] },
);
