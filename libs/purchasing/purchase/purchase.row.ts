import { changing, rowAfter, unchanged, type Fold, type Instant, type RowAfter } from '#kernel';
import type { CouponEvent } from '../coupon/coupon.events.js';
import { couponAfter, type CouponRow } from '../coupon/coupon.row.js';
import type { DealSummary } from '../inventory/sale-terms.js';
import type { ReservationEvent } from '../reservation/reservation.events.js';
import type { Payment, PurchaseEvent, PurchaseMade, PurchaseResold } from './purchase.events.js';

/** The states of a purchase's payment. */
export const PAYMENT_STATES = ['pending', 'charged', 'declined', 'refunded'] as const;

/** The states of a purchase's fulfilment. */
export const FULFILLMENT_STATES = ['reserved', 'released', 'pending', 'fulfilled', 'cancelled'] as const;

/** A reservation or purchase as its events describe it; `presentPurchase` turns it into the answer. */
export interface PurchaseRow {
  readonly id: string;
  readonly partner_id: string;
  readonly deal: DealSummary;
  /** Cents per unit; `amount` is cents for all units. */
  readonly price: number;
  readonly amount: number;
  readonly quantity: number;
  readonly payment_state: (typeof PAYMENT_STATES)[number];
  readonly fulfillment_state: (typeof FULFILLMENT_STATES)[number];
  readonly created_at: Instant;
  /** The end of a reservation; null for a purchase. */
  readonly deadline: Instant | null;
  readonly user_id: string | null;
  readonly credit_card_id: string | null;
  /** The last four digits of the card that was charged or declined; null for none. */
  readonly last4: string | null;
  /** The reference of a reseller's transaction; null for any other purchase. */
  readonly reference: string | null;
  /** Present once the buyer is erased: nothing brings the last four digits back. */
  readonly erased?: true;
  /** In the order of their numbers. */
  readonly coupons: readonly CouponRow[];
}

/** The states of reservations and purchases, in one word each. */
export const PURCHASE_STATES = ['reserved', 'released', 'pending', 'fulfilled', 'declined', 'refunded'] as const;
export type PurchaseState = (typeof PURCHASE_STATES)[number];

/** The state in one word: what became of a cancelled purchase's money tells two kinds apart. A hold that has run out is `reserved`. */
export function purchaseStateOf({ payment_state, fulfillment_state }: PurchaseRow): PurchaseState {
  if (fulfillment_state !== 'cancelled') return fulfillment_state;
  return payment_state === 'refunded' ? 'refunded' : 'declined';
}

/** The events of one purchase's streams: its reservation, the purchase itself, and its coupons. */
export type PurchaseStory = ReservationEvent | PurchaseEvent | CouponEvent;

/** The first event of a reservation or purchase fixes these; events of coupons change `coupons`. */
type Fixed =
  | 'id'
  | 'partner_id'
  | 'deal'
  | 'price'
  | 'amount'
  | 'quantity'
  | 'created_at'
  | 'deadline'
  | 'user_id'
  | 'credit_card_id'
  | 'last4'
  | 'erased'
  | 'reference'
  | 'coupons';
const becomes = changing<PurchaseRow, Fixed>();

const released: RowAfter<PurchaseRow, ReservationEvent> = (row) =>
  row?.fulfillment_state === 'reserved'
    ? becomes(row, { payment_state: row.payment_state, fulfillment_state: 'released' })
    : row;

const withCoupons: RowAfter<PurchaseRow, CouponEvent> = (row, event) =>
  row && { ...row, coupons: couponsAfter(row.coupons, event) };

/** Folds one of these events into the purchase's row. */
export const purchaseFold: Fold<PurchaseRow, PurchaseStory> = {
  'reservation-placed.v1'(_, { data: { purchase_id, partner_id, deal, price, quantity, created_at, deadline } }) {
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
      last4: null,
      reference: null,
      coupons: [],
    };
  },
  'reservation-claimed.v1': unchanged,
  'reservation-released.v1': released,
  'reservation-expired.v1': released,
  'purchase-recorded.v1': (row, { data }) =>
    becomes(made(row, data), { payment_state: 'charged', fulfillment_state: 'fulfilled' }),
  'purchase-opened.v1': (row, { data }) => ({ ...made(row, data), credit_card_id: data.credit_card_id }),
  'purchase-charge-lost.v1': unchanged,
  'purchase-charge-refused.v1': unchanged,
  'purchase-charged.v1': (row, { data }) =>
    row && becomes(withCard(row, data), { payment_state: 'charged', fulfillment_state: 'fulfilled' }),
  'purchase-declined.v1': (row, { data }) =>
    row && becomes(withCard(row, data), { payment_state: 'declined', fulfillment_state: 'cancelled' }),
  'purchase-void-asked.v1': unchanged,
  'purchase-voided.v1': (row, { data }) =>
    row && becomes(row, { payment_state: data.refunded ? 'refunded' : 'declined', fulfillment_state: 'cancelled' }),
  'purchase-refund-asked.v1': unchanged,
  'purchase-coupon-cancelled.v1': (row, { data }) =>
    row && data.units_left === 0 ? becomes(row, { payment_state: 'refunded', fulfillment_state: 'cancelled' }) : row,
  'purchase-coupon-replaced.v1': unchanged,
  'purchase-money-returned.v1': unchanged,
  'purchase-money-refused.v1': unchanged,
  'purchase-resold.v1': (row, { data }) =>
    becomes(resold(row, data), { payment_state: 'charged', fulfillment_state: 'fulfilled' }),
  'purchase-resale-abandoned.v1': unchanged,
  'purchase-buyer-erased.v1': (row) => row && { ...row, last4: null, erased: true },
  'coupon-issued.v1': withCoupons,
  'coupon-redeemed.v1': withCoupons,
  'coupon-cancelled.v1': withCoupons,
  'coupon-reissued.v1': withCoupons,
};

/** The purchase after an event of its streams. */
export function purchaseAfter(row: PurchaseRow | undefined, event: PurchaseStory): PurchaseRow | undefined {
  return rowAfter(purchaseFold, row, event, event.data.purchase_id);
}

/** A purchase that is not charged yet. It keeps coupons whose events came before. */
function made(
  row: PurchaseRow | undefined,
  event: Omit<PurchaseMade, 'user_id'> & { readonly user_id: string | null },
): PurchaseRow {
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
    last4: null,
    reference: null,
    coupons: row?.coupons ?? [],
  };
}

const withCard = (row: PurchaseRow, { last4 }: Payment): PurchaseRow => (row.erased ? row : { ...row, last4 });

const resold = (row: PurchaseRow | undefined, data: PurchaseResold): PurchaseRow => ({
  ...made(row, { ...data, user_id: null }),
  reference: data.transaction_reference,
});

function couponsAfter(coupons: readonly CouponRow[], event: CouponEvent): readonly CouponRow[] {
  const index = coupons.findIndex((coupon) => coupon.coupon_id === event.data.coupon_id);
  const after = couponAfter(coupons[index], event);
  if (after === undefined) return coupons;
  const all = index < 0 ? [...coupons, after] : coupons.with(index, after);
  // A sale of 1000 units adds as many, mostly in order: to sort them each time would take most of the time of its claim.
  const before = (index < 0 ? coupons.at(-1) : coupons[index])?.number ?? after.number;
  const isInOrder = index < 0 ? before <= after.number : before === after.number;
  return isInOrder ? all : all.toSorted((a, b) => a.number - b.number);
}
