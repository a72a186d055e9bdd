// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';
import type { DealSummary, SaleTerms } from './sale-terms.js';

/** The most units that one event has ever held or sold. It never becomes less: older events would count as broken. */
const UNITS_IN_AN_EVENT = 1_000;

/** The units after the event. Every event holds the results, so a reader sets numbers and never adds. */
export interface Units {
  /** All units, sold ones included; null for unlimited. */
  readonly stock: number | null;
  readonly held: number;
  readonly sold: number;
  /** Codes left in the pool; null without one. */
  readonly codes_left: number | null;
}

/** A hold, a checkout or a resale by its number: each start of a deal has the next one, from 0. */
export interface Numbered {
  readonly number: number;
}

/** An operator set the number of units. */
export interface StockSet extends Units {
  /** The change's id: a repeat of it, also after later changes, leads to no event. */
  readonly change_id: string;
}

export interface HoldPlaced extends Units, Numbered {
  readonly reservation_id: string;
  readonly partner_id: string;
  readonly quantity: number;
  /** Cents per unit. */
  readonly price: number;
  readonly deadline: Instant;
  /** The user whose access token placed it; null for a hold of the partner's own (ruling I9). */
  readonly holder_id: string | null;
  /** The deal's maximum of that moment: a claim of the living hold may rely on it (ruling I4). */
  readonly max_per_user: number | null;
  readonly deal: DealSummary;
}

export interface HoldClosed extends Units, Numbered {
  readonly reservation_id: string;
  readonly quantity: number;
}

/** The place of a redemption code in the inventory's stream. */
export interface CodeAt {
  /** The revision of the event that added it. */
  readonly revision: number;
  /** From 0, among the codes of that event. */
  readonly index: number;
}

/** Codes for the pool. None of them has been there before. */
export interface CodesAdded extends Units {
  /** This event's own: sales name its codes by it. */
  readonly revision: number;
  /** The revision of the event that added codes before; null for the first one. */
  readonly previous: number | null;
  readonly codes: readonly string[];
}

export interface SoldCoupon {
  readonly id: string;
  /** Twelve digits. */
  readonly barcode: string;
  /**
   * The number of its unit: a deal numbers the units that it sells from 0, and never gives a number again. Those of a checkout or
   * resale that sells nothing are left out. Null for a card-linked deal, which has no stock.
   */
  readonly unit: number | null;
  /** Its redemption code; null without a pool. */
  readonly code: CodeAt | null;
}

/** A coupon to be sold, before the deal gives it a unit and a code. */
export type NewCoupon = Pick<SoldCoupon, 'id' | 'barcode'>;

/** A sale, with everything that its followers need. */
export interface UnitsSold extends Units, Numbered {
  /** The purchase's id; a claimed reservation has the same one. */
  readonly purchase_id: string;
  readonly partner_id: string;
  readonly user_id: string;
  readonly quantity: number;
  readonly price: number;
  /** The time of the reservation; the purchase shows it as its creation. */
  readonly created_at: Instant;
  readonly deal: DealSummary;
  readonly coupons: readonly SoldCoupon[];
  readonly coupons_expire_at: Instant | null;
}

/** Units held without a deadline until the charge of a card has an outcome. */
export interface CheckoutStarted extends Units, Numbered {
  readonly purchase_id: string;
  readonly partner_id: string;
  readonly user_id: string;
  readonly credit_card_id: string;
  readonly shipping_address_id: string | null;
  /** The affiliate session from the partner's request. */
  readonly session_id: string | null;
  readonly quantity: number;
  /** Cents per unit. */
  readonly price: number;
  readonly deal: DealSummary;
  /** With their codes, taken from the pool until the charge has an outcome. */
  readonly coupons: readonly SoldCoupon[];
  /** From the terms of the sale. */
  readonly expires_at: Instant | null;
  readonly expiration_days: number | null;
  /** From then on the work list takes over an open checkout. */
  readonly takeover_at: Instant;
}

export interface CheckoutClosed extends Units, Numbered {
  readonly purchase_id: string;
  readonly user_id: string;
  readonly quantity: number;
}

/** The unit of a cancelled coupon is for sale again. Its code is not: the buyer has seen it. */
export interface UnitReturned extends Units {
  readonly unit: number;
  readonly coupon_id: string;
  readonly purchase_id: string;
  /** Null for a coupon of a reseller, which has no user. */
  readonly user_id: string | null;
}

/** The part of a sale's terms that a resale keeps until the purchase records it. */
export interface ResaleTerms {
  readonly quantity: number;
  /** Cents per unit. */
  readonly price: number;
  readonly deal: DealSummary;
  /** With their codes, taken from the pool until the resale is sold or undone. */
  readonly coupons: readonly SoldCoupon[];
  readonly expires_at: Instant | null;
  readonly expiration_days: number | null;
}

/** Units held without a deadline until the purchase decides whether its transaction reference is free. */
export interface ResaleStarted extends ResaleTerms, Units, Numbered {
  /** One purchase may have several: another content, or a new try, has another id. */
  readonly resale_id: string;
  readonly purchase_id: string;
  readonly partner_id: string;
  /** From then on the work list abandons an open resale. */
  readonly takeover_at: Instant;
}

export interface ResaleClosed extends Units, Numbered {
  readonly resale_id: string;
  readonly purchase_id: string;
  readonly quantity: number;
}

export type InventoryEvent =
  | EventOf<'terms-set.v1', { readonly terms: SaleTerms }>
  | EventOf<'stock-set.v1', StockSet>
  | EventOf<'codes-added.v1', CodesAdded>
  | EventOf<'hold-placed.v1', HoldPlaced>
  | EventOf<'hold-released.v1', HoldClosed>
  | EventOf<'hold-expired.v1', HoldClosed>
  | EventOf<'hold-claimed.v1', UnitsSold>
  | EventOf<'units-sold.v1', UnitsSold>
  | EventOf<'checkout-started.v1', CheckoutStarted>
  | EventOf<'checkout-sold.v1', CheckoutClosed>
  | EventOf<'checkout-undone.v1', CheckoutClosed>
  | EventOf<'unit-returned.v1', UnitReturned>
  | EventOf<'resale-started.v1', ResaleStarted>
  | EventOf<'resale-sold.v1', ResaleClosed>
  | EventOf<'resale-undone.v1', ResaleClosed>;

export const inventoryEvents = defineEventTypes<InventoryEvent>(
  'inventory',
  {
    'terms-set.v1': true,
    'stock-set.v1': true,
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
    'resale-started.v1': true,
    'resale-sold.v1': true,
    'resale-undone.v1': true,
  },
  [],
  {
    'terms-set.v1': [
      ...(['terms.deal.revision', 'terms.start_at', 'terms.end_at', 'terms.price'] as const),
      ...(['terms.max_per_user?', 'terms.expires_at?', 'terms.expiration_days?'] as const),
    ],
    'stock-set.v1': ['stock?', 'held', 'sold'],
    'codes-added.v1': ['held', 'sold', 'revision', 'previous?'],
    'hold-placed.v1': ['number', 'stock?', 'held', 'sold', 'quantity', 'price', 'deadline', 'max_per_user?'],
    'hold-released.v1': ['number', 'held', 'sold'],
    'hold-expired.v1': ['number', 'held', 'sold'],
    'hold-claimed.v1': ['number', 'held', 'sold', 'quantity'],
    'units-sold.v1': ['number', 'held', 'sold', 'quantity'],
    'checkout-started.v1': ['number', 'held', 'sold', 'quantity', 'price', 'expires_at?', 'expiration_days?'],
    'checkout-sold.v1': ['number', 'held', 'sold', 'quantity'],
    'checkout-undone.v1': ['number', 'held', 'sold', 'quantity'],
    'unit-returned.v1': ['unit', 'held', 'sold'],
    'resale-started.v1': ['number', 'held', 'sold', 'quantity', 'price', 'expires_at?', 'expiration_days?'],
    'resale-sold.v1': ['number', 'held', 'sold', 'quantity'],
    'resale-undone.v1': ['number', 'held', 'sold', 'quantity'],
  },
  {
    'hold-placed.v1': { number: 1, quantity: UNITS_IN_AN_EVENT },
    'hold-released.v1': { number: 1 },
    'hold-expired.v1': { number: 1 },
    'hold-claimed.v1': { number: 1, quantity: UNITS_IN_AN_EVENT },
    'units-sold.v1': { number: 1, quantity: UNITS_IN_AN_EVENT },
    'checkout-started.v1': { number: 1, quantity: UNITS_IN_AN_EVENT },
    'checkout-sold.v1': { number: 1, quantity: UNITS_IN_AN_EVENT },
    'checkout-undone.v1': { number: 1, quantity: UNITS_IN_AN_EVENT },
    'unit-returned.v1': { unit: UNITS_IN_AN_EVENT },
    'resale-started.v1': { number: 1, quantity: UNITS_IN_AN_EVENT },
    'resale-sold.v1': { number: 1, quantity: UNITS_IN_AN_EVENT },
    'resale-undone.v1': { number: 1, quantity: UNITS_IN_AN_EVENT },
  },
);
