export * from './smtp-mailer.js';
export type { SmtpServer } from './smtp-server.js';
export { inspectMailServer } from './inspect-mail-server.js';
