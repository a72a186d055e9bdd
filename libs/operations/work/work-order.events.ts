// These names are on disk.
import { defineEventTypes, type EventOf, type WorkAbandoned } from '#kernel';

/** What operators have ordered for a piece of open work (ruling G6.2). */
export type WorkOrderEvent =
  | EventOf<'work-retried.v1', { readonly list: string; readonly key: string }>
  | WorkAbandoned;

export const workOrderEvents = defineEventTypes<WorkOrderEvent>('work', {
  'work-retried.v1': true,
  'work-abandoned.v1': true,
});
