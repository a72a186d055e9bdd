import type { ContextModel } from '#kernel';
import { answerForms } from './answer-form/answer-form.decider.js';
import { answerFormEvents } from './answer-form/answer-form.events.js';
import { clockEvents, serviceClock } from './clock/clock.decider.js';
import { importRecord } from './import/import-record.decider.js';
import { importRecordEvents } from './import/import-record.events.js';
import { importsView } from './import/imports.view.js';
import { operatorToken } from './operator-token/operator-token.decider.js';
import { operatorTokenEvents } from './operator-token/operator-token.events.js';
import { operatorSecretsView, operatorTokensView } from './operator-token/operator-token.view.js';
import { projectionOrders } from './projections/projection-order.decider.js';
import { projectionOrderEvents } from './projections/projection-order.events.js';
import { serviceKeys } from './service-key/service-key.decider.js';
import { serviceKeyEvents } from './service-key/service-key.events.js';
import { workOrders } from './work/work-order.decider.js';
import { workOrderEvents } from './work/work-order.events.js';

export { answerForms, SERVICE_FORMS } from './answer-form/answer-form.decider.js';
export type { AnswerFormEvent, AnswerFormUsed, FormOfAnswers } from './answer-form/answer-form.events.js';
export { aheadAfter, SERVICE_CLOCK, serviceClock, type ClockEvent } from './clock/clock.decider.js';
export type { OperatorTokenEvent } from './operator-token/operator-token.events.js';
export type { ImportRecordEvent } from './import/import-record.events.js';
export { importsView, type ImportRow } from './import/imports.view.js';
export { SERVICE_KEYS, serviceKeys, type OpenRotation } from './service-key/service-key.decider.js';
export type { ProjectionOrderEvent } from './projections/projection-order.events.js';
export { retriedBy } from './work/work-order.decider.js';
export type { WorkOrderEvent } from './work/work-order.events.js';
export type { RotatedKey, ServiceKeyEvent } from './service-key/service-key.events.js';
export { operatorSecretsView, operatorTokensView };

/** The events of this context, what decides them, and what the service builds from them. */
export const operations: ContextModel = {
  deciders: [serviceClock, operatorToken, importRecord, answerForms, serviceKeys, projectionOrders, workOrders],
  events: [
    clockEvents,
    operatorTokenEvents,
    importRecordEvents,
    answerFormEvents,
    serviceKeyEvents,
    projectionOrderEvents,
    workOrderEvents,
  ],
  followers: [],
  views: [operatorTokensView, operatorSecretsView, importsView],
  workLists: [],
};
