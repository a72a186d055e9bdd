export { ClockListeners } from './clock/clock.controller.js';
export { aheadAfter, SERVICE_CLOCK, serviceClock } from './clock/clock.decider.js';
export { IssueToken } from './operator/operator.commands.js';
export { OperatorTokens } from './operator/operator-tokens.js';
export { operatorSecretsView } from './operator/operator.view.js';
export { OperatedProjections } from './projections/operated-projections.js';
