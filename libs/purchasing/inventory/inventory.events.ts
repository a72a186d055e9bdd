// These names are on disk.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';
import type { DealSummary, SaleTerms } from './sale-terms.js';

/** Units after the event: every change carries what it led to, so that a reader sets and never adds. */
export interface Units {
  /** All units ever, sold ones included; null = unlimited. */
  readonly stock: number | null;
  readonly held: number;
  readonly sold: number;
  /** Codes left in the pool; null without one. */
  readonly codes_left: number | null;
}

/** An operator set how many units there are. */
export interface StockSet extends Units {
  /** Which change it was: one that is asked for again, after others, is not made again. Null where version 1 did not say it. */
  readonly change_id: string | null;
}

export interface HoldPlaced extends Units {
  readonly reservation_id: string;
  readonly partner_id: string;
  readonly quantity: number;
  /** Cents per unit. */
  readonly price: number;
  readonly deadline: Instant;
  readonly deal: DealSummary;
}

export interface HoldClosed extends Units {
  readonly reservation_id: string;
  readonly quantity: number;
}

export interface SoldCoupon {
  readonly id: string;
  /** Twelve digits. */
  readonly barcode: string;
  readonly redemption_code: string | null;
}

/** A sale, with all that its followers need. */
export interface UnitsSold extends Units {
  /** The purchase; on a claim, the reservation has the same id. */
  readonly purchase_id: string;
  readonly partner_id: string;
  readonly user_id: string;
  readonly quantity: number;
  readonly price: number;
  /** When the reservation was made: what the purchase shows as its creation. */
  readonly created_at: Instant;
  readonly deal: DealSummary;
  readonly coupons: readonly SoldCoupon[];
  readonly coupons_expire_at: Instant | null;
}

/** Units that are kept while a card is charged: held without a deadline, until the outcome is known. */
export interface CheckoutStarted extends Units {
  readonly purchase_id: string;
  readonly partner_id: string;
  readonly user_id: string;
  readonly credit_card_id: string;
  readonly shipping_address_id: string | null;
  /** The affiliate session that the partner named. */
  readonly session_id: string | null;
  readonly quantity: number;
  /** Cents per unit. */
  readonly price: number;
  readonly deal: DealSummary;
  /** With their codes: taken from the pool until the outcome is known. */
  readonly coupons: readonly SoldCoupon[];
  /** As in the terms of the sale. */
  readonly expires_at: Instant | null;
  readonly expiration_days: number | null;
  /** From then on the work list charges, if nobody has closed the checkout. */
  readonly takeover_at: Instant;
}

export interface CheckoutClosed extends Units {
  readonly purchase_id: string;
  readonly user_id: string;
  readonly quantity: number;
}

/** The unit of a cancelled coupon, which can be sold again. Its code was seen, and is used up. */
export interface UnitReturned extends Units {
  readonly coupon_id: string;
  readonly purchase_id: string;
  readonly user_id: string;
}

export type InventoryEvent =
  | EventOf<'terms-set.v1', { readonly terms: SaleTerms }>
  | EventOf<'stock-set.v2', StockSet>
  | EventOf<'codes-added.v1', Units & { readonly codes: readonly string[] }>
  | EventOf<'hold-placed.v1', HoldPlaced>
  | EventOf<'hold-released.v1', HoldClosed>
  | EventOf<'hold-expired.v1', HoldClosed>
  | EventOf<'hold-claimed.v1', UnitsSold>
  | EventOf<'units-sold.v1', UnitsSold>
  | EventOf<'checkout-started.v1', CheckoutStarted>
  | EventOf<'checkout-sold.v1', CheckoutClosed>
  | EventOf<'checkout-undone.v1', CheckoutClosed>
  | EventOf<'unit-returned.v1', UnitReturned>;

export const inventoryEvents = defineEventTypes<InventoryEvent>(
  'inventory',
  {
    'terms-set.v1': true,
    'stock-set.v2': true,
    'codes-added.v1': true,
    'hold-placed.v1': true,
    'hold-released.v1': true,
    'hold-expired.v1': true,
    'hold-claimed.v1': true,
    'units-sold.v1': true,
    'checkout-started.v1': true,
    'checkout-sold.v1': true,
    'checkout-undone.v1': true,
    'unit-returned.v1': true,
  },
  [{ from: 'stock-set.v1', to: 'stock-set.v2', change: (data) => ({ ...data, change_id: null }) }],
);
