import type { Instant } from '#kernel';
import type { DealAttributes } from './deal.attributes.js';

/** Workflow states of a deal (interface 3.1). */
export const DEAL_STATES = [
  'submitted',
  'in-review',
  'rejected',
  'approved',
  'in-flight',
  'paused',
  'cancelled',
  'landed',
  'deleted',
] as const;
export type DealState = (typeof DEAL_STATES)[number];

/** A deal as its last event left it. */
export interface DealAfter {
  readonly deal_id: string;
  /** The state in the last event; `stateAt` gives the state at a time. */
  readonly state: DealState;
  readonly attributes: DealAttributes;
}

/** The workflow state at a time. The clock decides, not an event of a timer (ruling C1). */
export function stateAt(
  {
    state: recorded,
    attributes,
  }: { readonly state: DealState; readonly attributes: Pick<DealAttributes, 'start_at' | 'end_at'> },
  now: Instant,
): DealState {
  const state = recorded === 'approved' && now >= attributes.start_at ? 'in-flight' : recorded;
  return (state === 'in-flight' || state === 'paused') && now >= attributes.end_at ? 'landed' : state;
}
