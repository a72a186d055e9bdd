import { defineView, value } from '#kernel';
import { purchaseAfter, type PurchaseRow, type PurchaseStory } from './purchase.row.js';

/** Reservations and purchases by id, and by user, newest first. */
export const purchasesView = defineView<PurchaseRow, PurchaseStory>({
  name: 'purchases',
  version: 2,
  key: (event) => event.data.purchase_id,
  on: {
    'reservation-placed.v1': purchaseAfter,
    'reservation-claimed.v1': purchaseAfter,
    'reservation-released.v1': purchaseAfter,
    'reservation-expired.v1': purchaseAfter,
    'purchase-recorded.v1': purchaseAfter,
    'purchase-opened.v1': purchaseAfter,
    'purchase-charged.v2': purchaseAfter,
    'purchase-declined.v2': purchaseAfter,
    'purchase-voided.v2': purchaseAfter,
    'purchase-coupon-cancelled.v1': purchaseAfter,
    'coupon-issued.v1': purchaseAfter,
    'coupon-redeemed.v1': purchaseAfter,
    'coupon-cancelled.v1': purchaseAfter,
    'coupon-reissued.v1': purchaseAfter,
  },
  fields: { user_id: value((row) => row.user_id), created_at: value((row) => row.created_at) },
  indexes: [['user_id', 'created_at']],
});
