import { defineView, value } from '#kernel';
import { purchaseFold, purchaseStateOf, type PurchaseRow, type PurchaseStory } from './purchase.row.js';

/** The fields that lists of purchases filter and sort by. */
export type PurchaseField = 'user_id' | 'partner_id' | 'deal_id' | 'state' | 'last4' | 'reference' | 'created_at';

const NEWEST = { descending: 'created_at' } as const;

/** Reservations and purchases by id; each index has those of one user, deal and so on in the order of their list. */
export const purchasesView = defineView<PurchaseRow, PurchaseStory, PurchaseField>({
  name: 'purchases',
  version: 4,
  key: (event) => event.data.purchase_id,
  on: purchaseFold,
  fields: {
    user_id: value((row) => row.user_id),
    partner_id: value((row) => row.partner_id),
    deal_id: value((row) => row.deal.id),
    state: value(purchaseStateOf),
    last4: value((row) => row.last4),
    reference: value((row) => row.reference),
    created_at: value((row) => row.created_at),
  },
  orders: [
    { by: ['user_id', NEWEST], covers: [], coversPosition: true },
    { by: ['partner_id', NEWEST], covers: [] },
    { by: ['deal_id', NEWEST], covers: [] },
    { by: ['state', NEWEST], covers: [] },
    { by: ['last4', NEWEST], covers: [], sparse: true },
    { by: ['reference', NEWEST], covers: [], sparse: true },
    { by: [NEWEST], covers: [] },
  ],
});
