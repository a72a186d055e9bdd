import { defineView, value } from '#kernel';
import { purchaseFold, type PurchaseRow, type PurchaseStory } from './purchase.row.js';

/** Reservations and purchases by id; an index lists a user's purchases by time. */
export const purchasesView = defineView<PurchaseRow, PurchaseStory, 'user_id' | 'created_at'>({
  name: 'purchases',
  version: 2,
  key: (event) => event.data.purchase_id,
  on: purchaseFold,
  fields: { user_id: value((row) => row.user_id), created_at: value((row) => row.created_at) },
  indexes: [['user_id', 'created_at']],
});
