export { useForm } from './answer-form/use-form.js';
export { ClockListeners } from './clock/clock.controller.js';
export { IssueToken } from './operator-token/operator-token.commands.js';
export { OperatorTokens } from './operator-token/operator-tokens.js';
export { OperationsSettings } from './settings.js';
export { OperatedProjections } from './projections/operated-projections.js';
