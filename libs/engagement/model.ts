import type { ContextModel } from '#kernel';
import { cardLink } from './card-link/card-link.decider.js';
import { cardLinkEvents } from './card-link/card-link.events.js';
import { cardLinksView } from './card-link/card-link.view.js';
import { linkage } from './card-link/linkage.decider.js';
import { linkageEvents } from './card-link/linkage.events.js';
import { cardLinkFollowers, linkageFollowers } from './followers.js';
import { mailPreference } from './mail-preference/mail-preference.decider.js';
import { mailPreferenceEvents } from './mail-preference/mail-preference.events.js';
import { savedDeal } from './saved-deal/saved-deal.decider.js';
import { savedDealEvents } from './saved-deal/saved-deal.events.js';
import { savedDealsView } from './saved-deal/saved-deal.view.js';
import { subscription } from './subscription/subscription.decider.js';
import { subscriptionEvents } from './subscription/subscription.events.js';
import { subscriptionsView } from './subscription/subscription.view.js';

export { cardLink } from './card-link/card-link.decider.js';
export type { CardLinkEvent } from './card-link/card-link.events.js';
export { linkage } from './card-link/linkage.decider.js';
export type { LinkageEvent } from './card-link/linkage.events.js';
export { mailPreference } from './mail-preference/mail-preference.decider.js';
export type { MailPreferenceEvent } from './mail-preference/mail-preference.events.js';
export type { SavedDealEvent } from './saved-deal/saved-deal.events.js';
export { asOfNow } from './subscription/confirmed-address.js';
export { CARD_LINK_STATES, type CardLinkRow } from './card-link/card-link.row.js';
export { cardLinksView } from './card-link/card-link.view.js';
export { savedDealsView } from './saved-deal/saved-deal.view.js';
export type { DealSaved } from './saved-deal/saved-deal.events.js';
export { SUBSCRIPTION_STATUSES } from './subscription/subscription.events.js';
export { subscription } from './subscription/subscription.decider.js';
export type { SubscriptionDetails, SubscriptionEvent } from './subscription/subscription.events.js';
export type { SubscriptionRow } from './subscription/subscription.row.js';
export { subscriptionsView } from './subscription/subscription.view.js';

/** The events of this context, what decides them, and what the service builds from them. */
export const engagement: ContextModel = {
  deciders: [savedDeal, linkage, cardLink, subscription, mailPreference],
  events: [savedDealEvents, linkageEvents, cardLinkEvents, subscriptionEvents, mailPreferenceEvents],
  followers: [linkageFollowers, cardLinkFollowers],
  views: [savedDealsView, cardLinksView, subscriptionsView],
  workLists: [],
};
