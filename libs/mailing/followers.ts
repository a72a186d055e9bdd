import { begin, defineFollowers, direct, nothing } from '#kernel';
import { batch } from './batch/batch.decider.js';
import { scheduleId } from './schedule/schedule-day.js';
import { schedule } from './schedule/schedule.decider.js';

/** Users who have a place in a day become a batch. */
export const scheduleFollowers = defineFollowers(schedule, {
  'users-scheduled.v1': ({ data: { scheduled: _, ...made }, metadata }) => [
    begin(batch, made.batch_id, { type: 'create', batch: { ...made, created_at: metadata.time } }),
  ],
  'users-freed.v1': nothing,
});

/** A batch that is cancelled frees its users (ruling F3). */
export const batchFollowers = defineFollowers(batch, {
  'batch-created.v1': nothing,
  'batch-cancelled.v1': ({ data: { batch_id, partner_id, send_at } }) => [
    direct(schedule, scheduleId(partner_id, send_at), { type: 'free', batch_id }),
  ],
  'delivery-attempted.v1': nothing,
  'delivery-made.v1': nothing,
  'delivery-delayed.v1': nothing,
  'delivery-failed.v1': nothing,
  'delivery-skipped.v1': nothing,
  'delivery-paused.v1': nothing,
  'batch-processed.v1': nothing,
  'batch-failed.v1': nothing,
});
