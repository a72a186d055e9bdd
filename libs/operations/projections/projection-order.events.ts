// These names are on disk.
import { defineEventTypes, type EventOf } from '#kernel';

export const PROJECTION_VERBS = ['rebuild', 'promote', 'cancel', 'drop', 'resume', 'skip'] as const;

/** An order of an operator to a projection that was carried out (ruling G6). A rebuild has begun then. */
export interface ProjectionOrdered {
  readonly view: string;
  readonly verb: (typeof PROJECTION_VERBS)[number];
  readonly generation: number;
  /** Of the event that was skipped, in digits; null for every other order. */
  readonly position: string | null;
}

export type ProjectionOrderEvent = EventOf<'projection-ordered.v1', ProjectionOrdered>;

export const projectionOrderEvents = defineEventTypes<ProjectionOrderEvent>('projection', {
  'projection-ordered.v1': true,
});
