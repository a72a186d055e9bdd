import { defineFollowers, direct, type Decided, type Directive, type EventOf } from '#kernel';
import { coupon } from '../coupon/coupon.decider.js';
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
    ...data.coupons.map(({ id, barcode, redemption_code }, number) =>
      direct(coupon, id, {
        type: 'issue',
        coupon: {
          coupon_id: id,
          purchase_id,
          partner_id,
          user_id,
          deal_id: deal.id,
          deal_type: deal.type,
          number,
          barcode,
          redemption_code,
          created_at: metadata.time,
          expires_at: data.coupons_expire_at,
        },
      }),
    ),
  ];
}
