export { BatchDelivery } from './batch/batch-delivery.js';
export { BatchRecipients } from './batch/batch-recipients.js';
export * from './mail/index.js';
