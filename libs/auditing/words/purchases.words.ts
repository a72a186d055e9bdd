import { isoTime } from '#kernel';
import type { CouponEvent, PurchaseEvent, ReservationEvent } from '#purchasing/model';
import { defineWords } from './phrase.js';
import { counted, money, said, thereAre } from './plain.js';

/** The words of reservations. */
export const reservationWords = defineWords<ReservationEvent>('Reservations', 'Stream `reservation-<purchase id>`.', {
  'reservation-placed.v1': {
    what: 'Units are held for a partner until `deadline`.',
    line: ({ quantity, deal, deadline, price }) =>
      `${thereAre(quantity, 'unit', ` of ${said(deal.id)}`)} held until ${isoTime(deadline)} at ${money(price)} each`,
  },
  'reservation-claimed.v1': {
    what: 'The hold became a sale to a user.',
    line: ({ user_id }) => `the hold became a sale to user ${user_id}`,
  },
  'reservation-released.v1': {
    what: 'The partner gave the hold back.',
    line: () => 'the hold was given back',
  },
  'reservation-expired.v1': {
    what: 'The hold had reached its deadline.',
    line: () => 'the hold had reached its deadline',
  },
});

/** The words of purchases. */
export const purchaseWords = defineWords<PurchaseEvent>('Purchases', 'Stream `purchase-<purchase id>`.', {
  'purchase-recorded.v1': {
    what: 'A claimed hold is a purchase. The partner took the payment.',
    line: ({ quantity, deal, user_id, amount }) =>
      `user ${user_id} bought ${counted(quantity, 'unit')} of ${said(deal.id)} for ${money(amount)}; the partner took the payment`,
  },
  'purchase-opened.v1': {
    what: 'A purchase by card begins. Its units are kept, and the card is charged next.',
    line: ({ quantity, deal, user_id, amount }) =>
      `user ${user_id} buys ${counted(quantity, 'unit')} of ${said(deal.id)}; a card is charged ${money(amount)} next`,
  },
  'purchase-charge-lost.v1': {
    what: 'The first try of the charge got no answer. The same charge is repeated, and its outcome names this event as its cause.',
    line: ({ gateway, amount }) => `${said(gateway)} did not answer the charge of ${money(amount)}; it is repeated`,
  },
  'purchase-charge-refused.v1': {
    what: 'The gateway will never make this charge. What it may have taken goes back.',
    line: ({ gateway, amount, reason }) =>
      `${said(gateway)} will never make the charge of ${money(amount)}: ${said(reason)}`,
  },
  'purchase-charged.v1': {
    what: 'The gateway took the money. The units are sold.',
    line: ({ gateway, amount, reference, coupons, deal }) =>
      `${said(gateway)} took ${money(amount)}${named(reference)}; ${thereAre(coupons.length, 'unit', ` of ${said(deal.id)}`)} sold`,
  },
  'purchase-declined.v1': {
    what: 'The gateway declined the card. Nothing was taken, and the units are free again.',
    line: ({ gateway, amount, reason }) =>
      `${said(gateway)} declined the charge of ${money(amount)}: ${said(reason)}; nothing was taken`,
  },
  'purchase-void-asked.v1': {
    what: 'An operator, or the service itself, gives up on a charge without an outcome.',
    line: ({ reason }) => `the charge is to be given up: ${said(reason)}`,
  },
  'purchase-voided.v1': {
    what: 'The charge was given up on the gateway’s word. `amount` is what went back.',
    line: ({ gateway, amount, refunded, reference }) =>
      `the charge was given up; ${refunded ? `${said(gateway)} gave back ${money(amount)}${named(reference)}` : 'nothing had been taken'}`,
  },
  'purchase-refund-asked.v1': {
    what: 'An operator takes back all that is left of a purchase.',
    line: ({ coupons, reason }) => `${thereAre(coupons.length, 'coupon')} to be cancelled: ${said(reason)}`,
  },
  'purchase-coupon-cancelled.v1': {
    what: 'A coupon of the purchase was cancelled. `refund` cents go back for it, `refunded` in all; `refund_by` says whether our gateway gives them back, or the partner owes them.',
    line: ({ coupon_id, refund_by, refund, refunded, units_left }) => {
      const back = `${refund_by === 'gateway' ? 'the gateway gives back' : 'the partner owes'} ${money(refund)}`;
      return `coupon ${coupon_id} was cancelled; ${back}, ${money(refunded)} in all; ${thereAre(units_left, 'unit')} left`;
    },
  },
  'purchase-coupon-replaced.v1': {
    what: 'A coupon of the purchase was issued again.',
    line: ({ coupon_id, replacement_id }) => `coupon ${coupon_id} was issued again as ${replacement_id}`,
  },
  'purchase-money-returned.v1': {
    what: 'The gateway gave back what it took for a coupon.',
    line: ({ gateway, amount, reference, coupon_id }) =>
      `${said(gateway)} gave back ${money(amount)}${named(reference)} for coupon ${coupon_id}`,
  },
  'purchase-money-refused.v1': {
    what: 'The gateway will not give that money back. People have to see to it.',
    line: ({ gateway, amount, coupon_id, reason }) =>
      `${said(gateway)} will not give back ${money(amount)} for coupon ${coupon_id}: ${said(reason)}`,
  },
  'purchase-resold.v1': {
    what: 'A reseller has sold these units, with a transaction of their own under `transaction_reference`. `content` is a hash of all that they sent.',
    line: ({ quantity, deal, amount, transaction_reference }) =>
      `a reseller sold ${counted(quantity, 'unit')} of ${said(deal.id)} for ${money(amount)}, as ${said(transaction_reference)}`,
  },
  'purchase-resale-abandoned.v1': {
    what: 'A try of a reseller came to nothing: the reference was taken, or its call broke off. Its units are free again.',
    line: ({ deal_id }) => `a resale of ${said(deal_id)} came to nothing; its units are free again`,
  },
  'purchase-buyer-erased.v1': {
    what: 'An operator erased the buyer: nothing opens the data of a reseller’s buyer any more, and nothing shows the last four digits of a user’s card. Units and money stay.',
    line: ({ user_id, reason }) => `the buyer${user_id === null ? '' : ` (user ${user_id})`} was erased: ${reason}`,
  },
});

/** The gateway's reference of a payment, if it gave one. */
const named = (reference: string | null): string => (reference === null ? '' : ` (${said(reference)})`);

/** The words of coupons. */
export const couponWords = defineWords<CouponEvent>('Coupons', 'Stream `coupon-<coupon id>`.', {
  'coupon-issued.v1': {
    what: 'A coupon for one unit of a sale exists. `user_id` is null if a reseller sold it.',
    line: ({ barcode, deal_id, user_id, expires_at }) =>
      `coupon ${barcode} of ${said(deal_id)} was issued ${user_id === null ? 'for a reseller' : `to user ${user_id}`}; it ${expires_at === null ? 'never expires' : `expires at ${isoTime(expires_at)}`}`,
  },
  'coupon-redeemed.v1': {
    what: 'The coupon was redeemed.',
    line: ({ coupon_id, redeemed_at }) => `coupon ${coupon_id} was redeemed at ${isoTime(redeemed_at)}`,
  },
  'coupon-cancelled.v1': {
    what: 'An operator or a reseller cancelled the coupon. Its `unit` is on sale again; null if it did not come from the stock.',
    line: ({ coupon_id, deal_id, unit, reason }) =>
      `coupon ${coupon_id} of ${said(deal_id)} was cancelled: ${said(reason)}${unit === null ? '' : '; its unit is on sale again'}`,
  },
  'coupon-reissued.v1': {
    what: 'An operator issued the coupon again. `replacement` is the new one. If the old one was redeemed, that was a mistake: count one redemption less.',
    line: ({ coupon_id, reason, redeemed_by_mistake, replacement: { barcode } }) =>
      `coupon ${coupon_id} was issued again as ${barcode}: ${said(reason)}${redeemed_by_mistake ? '; it had been redeemed by mistake' : ''}`,
  },
});
