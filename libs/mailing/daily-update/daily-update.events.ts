// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';

/** A day, counted from 1970-01-01 in UTC. */
interface OfDay {
  readonly day: number;
}

/** The daily update of this day goes out at `due_at`. It replaces an earlier plan. */
export interface DailyUpdatePlanned extends OfDay {
  readonly due_at: Instant;
}

export type DailyUpdateEvent =
  | EventOf<'daily-update-planned.v1', DailyUpdatePlanned>
  /** No daily update is planned any more: `DAILY_UPDATE_AT` is not set. */
  | EventOf<'daily-update-unplanned.v1', OfDay>
  /** Every mail of the day was begun: each has an outcome, or is tried again. */
  | EventOf<'daily-update-ended.v1', OfDay>;

export const dailyUpdateEvents = defineEventTypes<DailyUpdateEvent>(
  'dailyUpdate',
  {
    'daily-update-planned.v1': true,
    'daily-update-unplanned.v1': true,
    'daily-update-ended.v1': true,
  },
  [],
  {
    'daily-update-planned.v1': ['day', 'due_at'],
    'daily-update-unplanned.v1': ['day'],
    'daily-update-ended.v1': ['day'],
  },
);
