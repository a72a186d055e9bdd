import { defineFollowers, direct, type Decided, type Directive, type EventOf } from '#kernel';
import { issueCoupons } from '../coupon/issue-coupons.js';
import { purchase } from '../purchase/purchase.decider.js';
import { reservation } from '../reservation/reservation.decider.js';
import { inventory } from './inventory.decider.js';
import type { UnitsSold } from './inventory.events.js';

/** What holds and sales lead to in the streams of reservations, purchases and coupons. */
export const inventoryFollowers = defineFollowers(inventory, {
  'hold-placed.v1': ({ data, metadata }) => {
    const { reservation_id: purchase_id, partner_id, deal, quantity, price, deadline } = data;
    const placed = { purchase_id, partner_id, deal, quantity, price, created_at: metadata.time, deadline };
    return [direct(reservation, purchase_id, { type: 'place', placed })];
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
      direct(purchase, purchase_id, {
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
});

function sold({ data, metadata }: Decided<EventOf<string, UnitsSold>>): Directive[] {
  const { purchase_id, partner_id, user_id, deal, quantity, price, created_at } = data;
  const amount = price * quantity;
  return [
    direct(reservation, purchase_id, { type: 'claim', purchase_id, user_id }),
    direct(purchase, purchase_id, {
      type: 'record',
      purchase: { purchase_id, partner_id, user_id, deal, quantity, price, amount, created_at },
    }),
    ...issueCoupons(data, metadata.time),
  ];
}
