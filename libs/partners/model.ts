import type { ContextModel } from '#kernel';
import { partner } from './partner/partner.decider.js';
import { partnerEvents } from './partner/partner.events.js';
import { apiKeysView, partnersView, v3PasswordsView } from './partner/partner.view.js';

export { apiKeysView, partnersView, v3PasswordsView };
export type { PartnerEvent } from './partner/partner.events.js';

/** The events of this context, what decides them, and what the service builds from them. */
export const partners: ContextModel = {
  deciders: [partner],
  events: [partnerEvents],
  followers: [],
  views: [partnersView, apiKeysView, v3PasswordsView],
  workLists: [],
};
