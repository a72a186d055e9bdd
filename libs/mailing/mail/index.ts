// `#mailing/mail`: how mails look and leave the service.
export * from './address.js';
export * from './mailer.js';
