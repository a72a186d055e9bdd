import type { ContextModel } from '#kernel';
import { batchDeliveries } from './batch/batch-deliveries.work.js';
import { batch } from './batch/batch.decider.js';
import { batchEvents } from './batch/batch.events.js';
import { batchMailsView } from './batch/batch-mails.view.js';
import { batchesView } from './batch/batch.view.js';
import { dailyUpdate } from './daily-update/daily-update.decider.js';
import { dailyUpdateEvents } from './daily-update/daily-update.events.js';
import { dailyUpdates } from './daily-update/daily-updates.work.js';
import { batchFollowers, scheduleFollowers } from './followers.js';
import { schedule } from './schedule/schedule.decider.js';
import { scheduleEvents } from './schedule/schedule.events.js';
import { subscriptionMail } from './subscription-mail/subscription-mail.decider.js';
import { subscriptionMailEvents } from './subscription-mail/subscription-mail.events.js';
import { subscriptionMails } from './subscription-mail/subscription-mails.work.js';

export { dailyUpdate } from './daily-update/daily-update.decider.js';
export type { DailyUpdateEvent } from './daily-update/daily-update.events.js';
export { subscriptionMail } from './subscription-mail/subscription-mail.decider.js';
export { BATCH_STATES, type BatchRow } from './batch/batch.row.js';
export type { BatchEvent } from './batch/batch.events.js';
export { batchMailAfter, type BatchMailRow, MAIL_OUTCOMES } from './batch/batch-mail.row.js';
export { batchMailsView } from './batch/batch-mails.view.js';
export { batchesView } from './batch/batch.view.js';
export type { SubscriptionMailEvent } from './subscription-mail/subscription-mail.events.js';
export { batch } from './batch/batch.decider.js';
export { schedule } from './schedule/schedule.decider.js';
export type { ScheduleEvent } from './schedule/schedule.events.js';
export { scheduleId } from './schedule/schedule-day.js';
export { isSuppressed } from './schedule/schedule.state.js';

/** The events of this context, what decides them, and what the service builds from them. */
export const mailing: ContextModel = {
  deciders: [schedule, batch, subscriptionMail, dailyUpdate],
  events: [scheduleEvents, batchEvents, subscriptionMailEvents, dailyUpdateEvents],
  followers: [scheduleFollowers, batchFollowers],
  views: [batchesView, batchMailsView],
  workLists: [batchDeliveries, subscriptionMails, dailyUpdates],
};
