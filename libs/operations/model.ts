import type { ContextModel } from '#kernel';
import { clockEvents } from './clock/clock.decider.js';
import { operatorTokenEvents } from './operator-token/operator-token.events.js';
import { operatorSecretsView, operatorTokensView } from './operator-token/operator-token.view.js';

export { aheadAfter, SERVICE_CLOCK, serviceClock } from './clock/clock.decider.js';
export { operatorSecretsView };

/** The events and views of this context. */
export const operations: ContextModel = {
  events: [clockEvents, operatorTokenEvents],
  followers: [],
  views: [operatorTokensView, operatorSecretsView],
  workLists: [],
};
