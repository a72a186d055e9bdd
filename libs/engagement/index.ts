export { FulfilledLinks } from './card-link/fulfilled-links.js';
export { confirmationLink, endOfBatchMailsLink, endOfSubscriptionLink } from './mail-link/mail-link.js';
export { wantsBatchMails } from './mail-preference/wants-batch-mails.js';
