import type { ContextModel } from '#kernel';
import { batchEvents } from './batch/batch.events.js';
import { batchDeliveries } from './batch/batch-deliveries.work.js';
import { batchesView } from './batch/batch.view.js';
import { batchFollowers, scheduleFollowers } from './followers.js';
import { dailyUpdateEvents } from './daily-update/daily-update.events.js';
import { dailyUpdates } from './daily-update/daily-updates.work.js';
import { scheduleEvents } from './schedule/schedule.events.js';
import { subscriptionMailEvents } from './subscription-mail/subscription-mail.events.js';
import { subscriptionMails } from './subscription-mail/subscription-mails.view.js';

export { dailyUpdate } from './daily-update/daily-update.decider.js';
export { subscriptionMail } from './subscription-mail/subscription-mail.decider.js';
export { batch } from './batch/batch.decider.js';
export { schedule } from './schedule/schedule.decider.js';
export { scheduleId } from './schedule/schedule-day.js';
export { isSuppressed } from './schedule/schedule.state.js';

/** The events of this context, and what the service builds from them. */
export const mailing: ContextModel = {
  events: [scheduleEvents, batchEvents, subscriptionMailEvents, dailyUpdateEvents],
  followers: [scheduleFollowers, batchFollowers],
  views: [batchesView],
  workLists: [batchDeliveries, subscriptionMails, dailyUpdates],
};
