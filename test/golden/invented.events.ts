import { defineEventTypes, type EventOf } from '#kernel';

/** A bell was rung. Version 1 did not say how often: once. */
export interface BellRung {
  readonly bell_id: string;
  readonly times: number;
}

export type BellEvent = EventOf<'bell-rung.v2', BellRung>;

/**
 * The only event with an older version so far: the product has no bells. It keeps upcasters working until an event needs
 * one.
 */
export const bellEvents = defineEventTypes<BellEvent>('bell', { 'bell-rung.v2': true }, [
  { from: 'bell-rung.v1', to: 'bell-rung.v2', change: (data) => ({ ...data, times: 1 }) },
]);

/** The event in both versions, as builds would have written it. */
export const BELL_SAMPLES = [
  { stream: 'bell-front', type: 'bell-rung.v1', data: { bell_id: 'front' } },
  { stream: 'bell-front', type: 'bell-rung.v2', data: { bell_id: 'front', times: 3 } },
] as const;
