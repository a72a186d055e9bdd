import type { ContextModel } from '#kernel';
import { savedDealEvents } from './saved-deal/saved-deal.events.js';
import { savedDealsView } from './saved-deal/saved-deal.view.js';

/** The events of this context, and what the service builds from them. */
export const engagement: ContextModel = {
  events: [savedDealEvents],
  followers: [],
  views: [savedDealsView],
  workLists: [],
};
