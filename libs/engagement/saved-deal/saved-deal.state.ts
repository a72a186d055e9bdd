import type { DealSaved } from './saved-deal.events.js';

/** A saved deal: never saved, kept by its user, or removed. */
export type SavedDealState =
  | { readonly status: 'none' }
  | { readonly status: 'kept'; readonly saved: DealSaved }
  | { readonly status: 'removed' };
