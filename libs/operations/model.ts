import type { ContextModel } from '#kernel';
import { clockEvents } from './clock/clock.decider.js';
import { operatorEvents } from './operator/operator.events.js';
import { operatorSecretsView, operatorTokensView } from './operator/operator.view.js';

export { aheadAfter, SERVICE_CLOCK, serviceClock } from './clock/clock.decider.js';

/** What this context puts into the log, and what is built from it. */
export const operations: ContextModel = {
  events: [clockEvents, operatorEvents],
  followers: [],
  views: [operatorTokensView, operatorSecretsView],
  workLists: [],
};
