import type { ContextModel } from '#kernel';
import { dealListingView } from './deal/deal-listing.view.js';
import { deal } from './deal/deal.decider.js';
import { dealEvents } from './deal/deal.events.js';
import { dealsView } from './deal/deal.view.js';
import { dealFollowers } from './followers.js';
import { region } from './region/region.decider.js';
import { regionEvents } from './region/region.events.js';
import { regionsView } from './region/region.view.js';

export { deal } from './deal/deal.decider.js';
export { DEAL_STATES, stateAt, type DealState } from './deal/deal.state.js';
export { DEAL_TYPES } from './deal/deal.types.js';
export { dealListingView, type ListedDeal } from './deal/deal-listing.view.js';
export { dealsView } from './deal/deal.view.js';
export { unitsOver } from './deal/units-left.js';
export { regionsView } from './region/region.view.js';
export type { Region } from './region/region.events.js';
export type { DealEvent } from './deal/deal.events.js';
export type { RegionEvent } from './region/region.events.js';

/** The events of this context, what decides them, and what the service builds from them. */
export const catalogue: ContextModel = {
  deciders: [deal, region],
  events: [dealEvents, regionEvents],
  followers: [dealFollowers],
  views: [dealsView, dealListingView, regionsView],
  workLists: [],
};
