// The log holds these names: they never change.
import { defineEventTypes, type EventOf } from '#kernel';
import type { DealAfter, DealState } from './deal.state.js';

/** Every event holds the whole deal after the change, so a follower needs no other event. */
export type DealEvent =
  | EventOf<'deal-created.v1', DealAfter>
  | EventOf<'deal-changed.v1', DealAfter & { readonly changed: readonly string[] }>
  | EventOf<'deal-moved.v1', DealAfter & { readonly from: DealState; readonly reason: string | null }>;

export const dealEvents = defineEventTypes<DealEvent>('deal', {
  'deal-created.v1': true,
  'deal-changed.v1': true,
  'deal-moved.v1': true,
});
