import { defineFollowers, direct, type Decided, type Directive, type EventOf } from '#kernel';
import { issueCoupons } from '../coupon/issue-coupons.js';
import { inventory } from '../inventory/inventory.decider.js';
import { purchase } from './purchase.decider.js';
import type { PurchaseClosed } from './purchase.events.js';

/** What the outcome of a charge leads to in the streams of stock and coupons. */
export const purchaseFollowers = defineFollowers(purchase, {
  'purchase-charged.v2': ({ data, metadata }) => [
    direct(inventory, data.deal.id, { type: 'close-checkout', purchase_id: data.purchase_id, sold: true }),
    ...issueCoupons(data, metadata.time),
  ],
  'purchase-declined.v2': unsold,
  'purchase-voided.v2': unsold,
});

function unsold({ data: { purchase_id, deal_id } }: Decided<EventOf<string, PurchaseClosed>>): Directive[] {
  return [direct(inventory, deal_id, { type: 'close-checkout', purchase_id, sold: false })];
}
