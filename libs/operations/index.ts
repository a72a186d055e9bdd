export { ClockListeners } from './clock/clock.controller.js';
export { IssueToken } from './operator/operator.commands.js';
export { OperatorTokens } from './operator/operator-tokens.js';
export { OperatedProjections } from './projections/operated-projections.js';
