export { ComparedViews } from './projections/compared-views.js';
export { noteForm, useForm } from './answer-form/use-form.js';
export { ClockListeners } from './clock/clock.controller.js';
export { IssueToken } from './operator-token/operator-token.commands.js';
export { OperatorTokenUses } from './operator-token/operator-token-uses.js';
export { OperatorTokens } from './operator-token/operator-tokens.js';
export { OperationsSettings, type ShownSetting } from './settings/operations-settings.js';
export { OperatedKeys, type RotationStatus, type ServiceKeyStatus } from './service-key/operated-keys.js';
export { OperatedProjections } from './projections/operated-projections.js';
