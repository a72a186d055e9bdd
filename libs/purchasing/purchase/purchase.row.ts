import type { Instant } from '#kernel';
import type { CouponEvent } from '../coupon/coupon.events.js';
import { couponAfter, type CouponRow } from '../coupon/coupon.row.js';
import type { DealSummary } from '../inventory/sale-terms.js';
import type { ReservationEvent } from '../reservation/reservation.events.js';
import type { PurchaseEvent, PurchaseMade } from './purchase.events.js';

/** A reservation or purchase as events tell it; `presentPurchase` makes the answer of it. */
export interface PurchaseRow {
  readonly id: string;
  readonly partner_id: string;
  readonly deal: DealSummary;
  /** Cents per unit, and in all. */
  readonly price: number;
  readonly amount: number;
  readonly quantity: number;
  readonly payment_state: 'pending' | 'charged' | 'declined' | 'refunded';
  readonly fulfillment_state: 'reserved' | 'released' | 'pending' | 'fulfilled' | 'cancelled';
  readonly created_at: Instant;
  /** When a reservation runs out; null for a purchase. */
  readonly deadline: Instant | null;
  readonly user_id: string | null;
  readonly credit_card_id: string | null;
  /** In the order of their numbers. */
  readonly coupons: readonly CouponRow[];
}

/** The streams that tell of one purchase: its reservation's, its own, and its coupons'. */
export type PurchaseStory = ReservationEvent | PurchaseEvent | CouponEvent;

export function purchaseAfter(row: PurchaseRow | undefined, event: PurchaseStory): PurchaseRow | undefined {
  switch (event.type) {
    case 'reservation-placed.v1': {
      const { purchase_id, partner_id, deal, price, quantity, created_at, deadline } = event.data;
      return {
        id: purchase_id,
        partner_id,
        deal,
        price,
        amount: price * quantity,
        quantity,
        payment_state: 'pending',
        fulfillment_state: 'reserved',
        created_at,
        deadline,
        user_id: null,
        credit_card_id: null,
        coupons: [],
      };
    }
    case 'reservation-released.v1':
    case 'reservation-expired.v1':
      return row?.fulfillment_state === 'reserved' ? { ...row, fulfillment_state: 'released' } : row;
    case 'reservation-claimed.v1':
      return row;
    case 'purchase-recorded.v1':
      return { ...made(row, event.data), payment_state: 'charged', fulfillment_state: 'fulfilled' };
    case 'purchase-opened.v1':
      return { ...made(row, event.data), credit_card_id: event.data.credit_card_id };
    case 'purchase-charged.v2':
      return row && { ...row, payment_state: 'charged', fulfillment_state: 'fulfilled' };
    case 'purchase-declined.v2':
      return row && { ...row, payment_state: 'declined', fulfillment_state: 'cancelled' };
    case 'purchase-voided.v2': {
      const payment_state = event.data.refunded ? 'refunded' : 'declined';
      return row && { ...row, payment_state, fulfillment_state: 'cancelled' };
    }
    case 'purchase-coupon-cancelled.v1': {
      const gone = event.data.units_left === 0;
      return row && gone ? { ...row, payment_state: 'refunded', fulfillment_state: 'cancelled' } : row;
    }
    case 'purchase-void-asked.v1':
    case 'purchase-refund-asked.v1':
    case 'purchase-coupon-replaced.v1':
    case 'purchase-money-returned.v2':
    case 'purchase-money-refused.v1':
    case 'purchase-charge-lost.v1':
    case 'purchase-charge-refused.v1':
      return row;
    case 'coupon-issued.v1':
    case 'coupon-redeemed.v1':
    case 'coupon-cancelled.v1':
    case 'coupon-reissued.v1':
      return row && { ...row, coupons: couponsAfter(row.coupons, event) };
  }
}

/** A purchase that is not charged yet; the coupons that came before it stay. */
function made(row: PurchaseRow | undefined, event: PurchaseMade): PurchaseRow {
  const { purchase_id, partner_id, user_id, deal, price, amount, quantity, created_at } = event;
  return {
    id: purchase_id,
    partner_id,
    deal,
    price,
    amount,
    quantity,
    payment_state: 'pending',
    fulfillment_state: 'pending',
    created_at,
    deadline: null,
    user_id,
    credit_card_id: null,
    coupons: row?.coupons ?? [],
  };
}

function couponsAfter(coupons: readonly CouponRow[], event: CouponEvent): readonly CouponRow[] {
  const index = coupons.findIndex((coupon) => coupon.coupon_id === event.data.coupon_id);
  const after = couponAfter(coupons[index], event);
  if (after === undefined) return coupons;
  return (index < 0 ? [...coupons, after] : coupons.with(index, after)).toSorted((a, b) => a.number - b.number);
}
