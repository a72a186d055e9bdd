// These names are on disk.
import { defineEventTypes, type EventOf } from '#kernel';
import type { DealAfter, DealState } from './deal.state.js';

/** Every event holds the deal as it stands after it, so that whoever follows needs no other. */
export type DealEvent =
  | EventOf<'deal-created.v1', DealAfter>
  | EventOf<'deal-changed.v1', DealAfter & { readonly changed: readonly string[] }>
  | EventOf<'deal-moved.v1', DealAfter & { readonly from: DealState; readonly reason: string | null }>;

export const dealEvents = defineEventTypes<DealEvent>('deal', {
  'deal-created.v1': true,
  'deal-changed.v1': true,
  'deal-moved.v1': true,
});
