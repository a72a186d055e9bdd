import type { ContextModel } from '#kernel';
import { partnerEvents } from './partner/partner.events.js';
import { apiKeysView, partnersView, v3PasswordsView } from './partner/partner.view.js';

/** What this context puts into the log, and what is built from it. */
export const partners: ContextModel = {
  events: [partnerEvents],
  followers: [],
  views: [partnersView, apiKeysView, v3PasswordsView],
  workLists: [],
};
