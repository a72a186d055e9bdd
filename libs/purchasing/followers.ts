import {
  begin,
  defineFollowers,
  direct,
  nothing,
  type Decided,
  type Directive,
  type EventOf,
  type FollowUp,
} from '#kernel';
import { coupon } from './coupon/coupon.decider.js';
import { issueCoupons } from './coupon/issue-coupons.js';
import { inventory } from './inventory/inventory.decider.js';
import type { UnitsSold } from './inventory/inventory.events.js';
import { purchase } from './purchase/purchase.decider.js';
import type { PurchaseClosed } from './purchase/purchase.events.js';
import { reservation } from './reservation/reservation.decider.js';

// All followers of this context stand here: each decision with its commands to other streams. So no aggregate imports another.

/** Followers of holds and sales, in the streams of reservations, purchases and coupons. */
export const inventoryFollowers = defineFollowers(inventory, {
  'terms-set.v1': nothing,
  'stock-set.v1': nothing,
  'codes-added.v1': nothing,
  'hold-placed.v1': ({ data, metadata }) => {
    const { reservation_id: purchase_id, number, partner_id, deal, quantity, price, deadline, holder_id } = data;
    const created_at = metadata.time;
    const placed = { purchase_id, number, partner_id, deal, quantity, price, created_at, deadline, holder_id };
    return [begin(reservation, purchase_id, { type: 'place', placed })];
  },
  'hold-released.v1': ({ data: { reservation_id: purchase_id } }) => [
    direct(reservation, purchase_id, { type: 'release', purchase_id }),
  ],
  'hold-expired.v1': ({ data: { reservation_id: purchase_id } }) => [
    direct(reservation, purchase_id, { type: 'expire', purchase_id }),
  ],
  'checkout-started.v1': ({ data, metadata }) => {
    const { purchase_id, partner_id, user_id, credit_card_id, shipping_address_id, session_id } = data;
    const { deal, quantity, price, coupons, expires_at, expiration_days, takeover_at } = data;
    return [
      begin(purchase, purchase_id, {
        type: 'open',
        purchase: {
          purchase_id,
          partner_id,
          user_id,
          credit_card_id,
          shipping_address_id,
          session_id,
          deal,
          quantity,
          price,
          amount: price * quantity,
          created_at: metadata.time,
          coupons,
          expires_at,
          expiration_days,
          takeover_at,
        },
      }),
    ];
  },
  'hold-claimed.v1': sold,
  'units-sold.v1': sold,
  'checkout-sold.v1': nothing,
  'checkout-undone.v1': nothing,
  'unit-returned.v1': nothing,
  'resale-started.v1': nothing,
  'resale-sold.v1': nothing,
  'resale-undone.v1': nothing,
});

function sold({ data, metadata }: Decided<EventOf<string, UnitsSold>>): FollowUp[] {
  const { purchase_id, partner_id, user_id, deal, quantity, price, created_at } = data;
  const amount = price * quantity;
  return [
    direct(reservation, purchase_id, { type: 'claim', purchase_id, user_id }),
    begin(purchase, purchase_id, {
      type: 'record',
      purchase: { purchase_id, partner_id, user_id, deal, quantity, price, amount, created_at },
    }),
    ...issueCoupons(data, metadata.time),
  ];
}

/** Followers of a charge's outcome and of a reseller's purchase, in the streams of stock and coupons. */
export const purchaseFollowers = defineFollowers(purchase, {
  'purchase-recorded.v1': nothing,
  'purchase-opened.v1': nothing,
  'purchase-charge-lost.v1': nothing,
  'purchase-charge-refused.v1': nothing,
  'purchase-charged.v1': ({ data, metadata }) => [
    direct(inventory, data.deal.id, { type: 'close-checkout', purchase_id: data.purchase_id, sold: true }),
    ...issueCoupons(data, metadata.time),
  ],
  'purchase-declined.v1': unsold,
  'purchase-void-asked.v1': nothing,
  'purchase-voided.v1': unsold,
  'purchase-refund-asked.v1': nothing,
  'purchase-coupon-cancelled.v1': nothing,
  'purchase-coupon-replaced.v1': nothing,
  'purchase-money-returned.v1': nothing,
  'purchase-money-refused.v1': nothing,
  'purchase-resold.v1': ({ data, metadata }) => {
    const { purchase_id, resale_id, deal } = data;
    const close = { type: 'close-resale', purchase_id, sold: true } as const;
    const sold = resale_id === null ? [] : [direct(inventory, deal.id, { ...close, resale_id })];
    return [...sold, ...issueCoupons({ ...data, user_id: null }, metadata.time)];
  },
  'purchase-resale-abandoned.v1': ({ data: { purchase_id, resale_id, deal_id } }) => [
    direct(inventory, deal_id, { type: 'close-resale', purchase_id, resale_id, sold: false }),
  ],
  'purchase-buyer-erased.v1': nothing,
});

function unsold({ data: { purchase_id, deal_id } }: Decided<EventOf<string, PurchaseClosed>>): Directive[] {
  return [direct(inventory, deal_id, { type: 'close-checkout', purchase_id, sold: false })];
}

/** Followers of a cancelled or replaced coupon, in the streams of stock, purchase and the new coupon. */
export const couponFollowers = defineFollowers(coupon, {
  'coupon-issued.v1': nothing,
  'coupon-redeemed.v1': nothing,
  'coupon-cancelled.v1': ({ data: { coupon_id, purchase_id, user_id, deal_id, unit } }) => [
    ...(unit === null
      ? []
      : [direct(inventory, deal_id, { type: 'return-unit', coupon_id, unit, purchase_id, user_id })]),
    direct(purchase, purchase_id, { type: 'cancel-coupon', coupon_id }),
  ],
  'coupon-reissued.v1': ({ data: { coupon_id, purchase_id, replacement } }) => [
    begin(coupon, replacement.coupon_id, { type: 'issue', coupon: replacement }),
    direct(purchase, purchase_id, {
      type: 'replace-coupon',
      replaced: { purchase_id, coupon_id, replacement_id: replacement.coupon_id },
    }),
  ],
});
