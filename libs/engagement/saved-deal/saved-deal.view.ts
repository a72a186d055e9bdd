import { defineView, value } from '#kernel';
import type { DealSaved, SavedDealEvent } from './saved-deal.events.js';
import { savedDealFold } from './saved-deal.row.js';

/** Saved deals by id; an index lists a user's by time. */
export const savedDealsView = defineView<DealSaved, SavedDealEvent, 'user_id' | 'deal_id' | 'created_at'>({
  name: 'saved-deals',
  version: 2,
  key: (event) => event.data.saved_deal_id,
  on: savedDealFold,
  fields: {
    user_id: value((row) => row.user_id),
    deal_id: value((row) => row.deal_id),
    created_at: value((row) => row.created_at),
  },
  orders: [
    { by: ['user_id', { descending: 'created_at' }], covers: [] },
    { by: ['deal_id', { descending: 'created_at' }], covers: [] },
    { by: [{ descending: 'created_at' }], covers: [] },
  ],
});
