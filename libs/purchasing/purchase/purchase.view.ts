import { defineView, value } from '#kernel';
import { purchaseFold, type PurchaseRow, type PurchaseStory } from './purchase.row.js';

/** Reservations and purchases by id; an index has a user's purchases in the order of their list. */
export const purchasesView = defineView<PurchaseRow, PurchaseStory, 'user_id' | 'created_at'>({
  name: 'purchases',
  version: 3,
  key: (event) => event.data.purchase_id,
  on: purchaseFold,
  fields: { user_id: value((row) => row.user_id), created_at: value((row) => row.created_at) },
  orders: [{ by: ['user_id', { descending: 'created_at' }], covers: [], coversPosition: true }],
});
