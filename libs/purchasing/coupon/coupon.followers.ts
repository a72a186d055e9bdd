import { defineFollowers, direct } from '#kernel';
import { inventory } from '../inventory/inventory.decider.js';
import { purchase } from '../purchase/purchase.decider.js';
import { coupon } from './coupon.decider.js';

/** What becomes of stock, purchase and the new coupon when a coupon is cancelled or replaced. */
export const couponFollowers = defineFollowers(coupon, {
  'coupon-cancelled.v1': ({ data: { coupon_id, purchase_id, user_id, deal_id } }) => [
    direct(inventory, deal_id, { type: 'return-unit', coupon_id, purchase_id, user_id }),
    direct(purchase, purchase_id, { type: 'cancel-coupon', coupon_id }),
  ],
  'coupon-reissued.v1': ({ data: { coupon_id, purchase_id, replacement } }) => [
    direct(coupon, replacement.coupon_id, { type: 'issue', coupon: replacement }),
    direct(purchase, purchase_id, {
      type: 'replace-coupon',
      replaced: { purchase_id, coupon_id, replacement_id: replacement.coupon_id },
    }),
  ],
});
