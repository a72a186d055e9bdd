export { FulfilledLinks } from './card-link/fulfilled-links.js';
export { confirmationLink, endOfBatchMailsLink, endOfSubscriptionLink } from './mail-link/mail-link.js';
export { wantsBatchMails } from './mail-preference/wants-batch-mails.js';
export { cardLinkAsOf } from './card-link/card-link.as-of.js';
export { cardLinkPresenters } from './card-link/card-link.present.js';
export { CARD_LINK } from './card-link/card-link.answer.js';
