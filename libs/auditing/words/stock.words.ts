import { isoTime } from '#kernel';
import type { InventoryEvent } from '#purchasing/model';
import { defineWords } from './phrase.js';
import { counted, money, said, thereAre } from './plain.js';

/** The words of a deal's stock. */
export const stockWords = defineWords<InventoryEvent>(
  'Stock',
  'Stream `inventory-<deal>`: all that a sale depends on is decided here. `stock`, `held`, `sold` and `codes_left` are the numbers after the event. Each hold, checkout and resale has the deal’s next `number`, and so have the events that end it. Each unit of `coupons` has the deal’s next `unit`; no number is given again. The `code` of a sold coupon is the place of its redemption code: the `revision` of an event `codes-added.v1` in this stream, and the `index` in its `codes`.',
  {
    'terms-set.v1': {
      what: 'The deal’s terms of sale: whether it sells, when, at which price, how many to one user.',
      line: ({ terms: { deal, on_sale, start_at, end_at, price, max_per_user } }) => {
        const most = max_per_user === null ? '' : `, at most ${max_per_user} to a user`;
        return on_sale
          ? `${said(deal.id)} sells from ${isoTime(start_at)} to ${isoTime(end_at)} at ${money(price)} each${most}`
          : `${said(deal.id)} does not sell${price === 0 ? '' : `; its price is ${money(price)}`}${most}`;
      },
    },
    'stock-set.v1': {
      what: 'An operator set how many units there are in all.',
      line: ({ stock, held, sold }) =>
        `the stock is ${stock === null ? 'unlimited' : counted(stock, 'unit')} now; ${held} held, ${sold} sold`,
    },
    'codes-added.v1': {
      what: 'An operator added redemption codes. `revision` is this event’s own, `previous` that of the last one before.',
      line: ({ codes, codes_left }) => `${counted(codes.length, 'code')} came into the pool; it has ${codes_left ?? 0}`,
    },
    'hold-placed.v1': {
      what: 'Units are held.',
      line: ({ quantity, deal, deadline, price }) =>
        `${thereAre(quantity, 'unit', ` of ${said(deal.id)}`)} held until ${isoTime(deadline)} at ${money(price)} each`,
    },
    'hold-released.v1': {
      what: 'Held units are free again: the hold was released.',
      line: ({ quantity }) => `${thereAre(quantity, 'held unit')} free again: the hold was released`,
    },
    'hold-expired.v1': {
      what: 'Held units are free again: the hold had reached its deadline.',
      line: ({ quantity }) => `${thereAre(quantity, 'held unit')} free again: the hold had reached its deadline`,
    },
    'hold-claimed.v1': {
      what: 'Held units are sold.',
      line: ({ quantity, deal, user_id, price }) =>
        `${thereAre(quantity, 'held unit', ` of ${said(deal.id)}`)} sold to user ${user_id} at ${money(price)} each`,
    },
    'units-sold.v1': {
      what: 'Units are sold to the claim of a hold that was gone.',
      line: ({ quantity, deal, user_id, price }) =>
        `${thereAre(quantity, 'unit', ` of ${said(deal.id)}`)} sold to user ${user_id} at ${money(price)} each; the hold was gone`,
    },
    'checkout-started.v1': {
      what: 'Units are kept while a card is charged.',
      line: ({ quantity, deal, user_id, price }) =>
        `${thereAre(quantity, 'unit', ` of ${said(deal.id)}`)} kept for user ${user_id} at ${money(price)} each: a card is charged`,
    },
    'checkout-sold.v1': {
      what: 'These units are sold: the card was charged.',
      line: ({ quantity, user_id }) =>
        `${thereAre(quantity, 'kept unit')} sold to user ${user_id}: the card was charged`,
    },
    'checkout-undone.v1': {
      what: 'These units are free again: nothing was charged.',
      line: ({ quantity }) => `${thereAre(quantity, 'kept unit')} free again: nothing was charged`,
    },
    'unit-returned.v1': {
      what: 'The unit of a cancelled coupon is on sale again.',
      line: ({ coupon_id }) => `the unit of coupon ${coupon_id} is on sale again`,
    },
    'resale-started.v1': {
      what: 'Units are kept until the purchase of a reseller has decided about the reference.',
      line: ({ quantity, deal, price }) =>
        `${thereAre(quantity, 'unit', ` of ${said(deal.id)}`)} kept for a reseller at ${money(price)} each`,
    },
    'resale-sold.v1': {
      what: 'These units are sold: the reseller’s purchase is recorded.',
      line: ({ quantity }) => `${thereAre(quantity, 'kept unit')} sold: the reseller’s purchase is recorded`,
    },
    'resale-undone.v1': {
      what: 'These units are free again: the resale came to nothing.',
      line: ({ quantity }) => `${thereAre(quantity, 'kept unit')} free again: the resale came to nothing`,
    },
  },
);
