import type { Fold } from '#kernel';
import type { DealSaved, SavedDealEvent } from './saved-deal.events.js';

/** Folds a saved deal's event into its row. */
export const savedDealFold: Fold<DealSaved, SavedDealEvent> = {
  'deal-saved.v1': (_, { data }) => data,
  'saved-deal-removed.v1': () => undefined,
};
