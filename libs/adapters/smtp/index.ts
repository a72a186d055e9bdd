export * from './smtp-mailer.js';
export type { SmtpServer } from './smtp-server.js';
