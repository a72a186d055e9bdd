export * from './batch-mail.js';
export * from './confirmation-mail.js';
export * from './daily-update-mail.js';
export type { DealInMail, Written } from './words.js';
