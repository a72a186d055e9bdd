export { BatchDelivery } from './batch/batch-delivery.js';
export { BatchRecipients } from './batch/batch-recipients.js';
export { DailyUpdate } from './daily-update/daily-update.js';
export { dailyUpdateMaker } from './daily-update/daily-update-maker.js';
export { confirmationMaker } from './confirmation/confirmation-maker.js';
export * from './mail/index.js';
export { SubscriptionMailDelivery } from './subscription-mail/subscription-mail-delivery.js';
export type { OnRefused } from './refused-streams.js';
