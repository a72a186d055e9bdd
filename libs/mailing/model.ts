import type { ContextModel } from '#kernel';
import { batchEvents } from './batch/batch.events.js';
import { batchDeliveries } from './batch/batch-deliveries.work.js';
import { batchesView } from './batch/batch.view.js';
import { batchFollowers, scheduleFollowers } from './followers.js';
import { scheduleEvents } from './schedule/schedule.events.js';

export { batch } from './batch/batch.decider.js';
export { schedule } from './schedule/schedule.decider.js';
export { scheduleId } from './schedule/schedule-day.js';
export { isSuppressed } from './schedule/schedule.state.js';

/** The events of this context, and what the service builds from them. */
export const mailing: ContextModel = {
  events: [scheduleEvents, batchEvents],
  followers: [scheduleFollowers, batchFollowers],
  views: [batchesView],
  workLists: [batchDeliveries],
};
