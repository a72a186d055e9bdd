// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';

/** A deal that a user keeps. */
export interface DealSaved {
  /** A keyed hash of user and deal: saved again, it has the same id. */
  readonly saved_deal_id: string;
  readonly deal_id: string;
  readonly user_id: string;
  readonly partner_id: string;
  readonly created_at: Instant;
}

export type SavedDealEvent =
  | EventOf<'deal-saved.v1', DealSaved>
  | EventOf<'saved-deal-removed.v1', Pick<DealSaved, 'saved_deal_id' | 'deal_id' | 'user_id'>>;

export const savedDealEvents = defineEventTypes<SavedDealEvent>('savedDeal', {
  'deal-saved.v1': true,
  'saved-deal-removed.v1': true,
});
