// These names are on disk.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';
import type { SoldCoupon } from '../inventory/inventory.events.js';
import type { DealSummary } from '../inventory/sale-terms.js';

/** What every purchase has, whoever takes the money. */
export interface PurchaseMade {
  readonly purchase_id: string;
  readonly partner_id: string;
  readonly user_id: string;
  readonly deal: DealSummary;
  readonly quantity: number;
  /** Cents per unit. */
  readonly price: number;
  /** Cents. */
  readonly amount: number;
  readonly created_at: Instant;
}

/** A purchase whose payment was the partner's: charged and fulfilled at once. */
export type PurchaseRecorded = PurchaseMade;

/** A purchase whose card is being charged: everything that its charge and its coupons need. */
export interface PurchaseOpened extends PurchaseMade {
  readonly credit_card_id: string;
  readonly shipping_address_id: string | null;
  /** The affiliate session that the partner named. */
  readonly session_id: string | null;
  readonly coupons: readonly SoldCoupon[];
  readonly expires_at: Instant | null;
  /** Days after the sale at which the coupons expire; null where `expires_at` says it. */
  readonly expiration_days: number | null;
  /** From then on the work list charges. */
  readonly takeover_at: Instant;
}

/** The gateway took the money: the units are sold, and these coupons are issued. */
export interface PurchaseCharged {
  readonly purchase_id: string;
  readonly partner_id: string;
  readonly user_id: string;
  readonly deal: DealSummary;
  readonly coupons: readonly SoldCoupon[];
  readonly coupons_expire_at: Instant | null;
}

/** Nothing was sold: the units are free again. */
export interface PurchaseClosed {
  readonly purchase_id: string;
  readonly user_id: string;
  readonly deal_id: string;
}

/** A coupon of the purchase was cancelled; money that our gateway took for it goes back. */
export interface PurchaseCouponCancelled {
  readonly purchase_id: string;
  readonly coupon_id: string;
  /** Cents that are to be given back for it; 0 where the payment was the partner's. */
  readonly refund: number;
  /** Cents that go back in all, with these. */
  readonly refunded: number;
  /** Units that are still bought; with none, the purchase reads refunded and cancelled. */
  readonly units_left: number;
}

/** A coupon of the purchase was issued again under another id. */
export interface PurchaseCouponReplaced {
  readonly purchase_id: string;
  readonly coupon_id: string;
  readonly replacement_id: string;
}

/** Each of these coupons is to be cancelled. */
export interface RefundAsked {
  readonly purchase_id: string;
  readonly coupons: readonly string[];
  readonly reason: string;
}

export type PurchaseEvent =
  | EventOf<'purchase-recorded.v1', PurchaseRecorded>
  | EventOf<'purchase-opened.v1', PurchaseOpened>
  | EventOf<'purchase-charged.v1', PurchaseCharged>
  | EventOf<'purchase-declined.v1', PurchaseClosed & { readonly reason: string }>
  | EventOf<'purchase-void-asked.v1', PurchaseClosed & { readonly reason: string }>
  | EventOf<'purchase-voided.v1', PurchaseClosed & { readonly refunded: boolean }>
  | EventOf<'purchase-refund-asked.v1', RefundAsked>
  | EventOf<'purchase-coupon-cancelled.v1', PurchaseCouponCancelled>
  | EventOf<'purchase-coupon-replaced.v1', PurchaseCouponReplaced>
  | EventOf<'purchase-money-returned.v1', { readonly purchase_id: string; readonly coupon_id: string }>;

export const purchaseEvents = defineEventTypes<PurchaseEvent>('purchase', {
  'purchase-recorded.v1': true,
  'purchase-opened.v1': true,
  'purchase-charged.v1': true,
  'purchase-declined.v1': true,
  'purchase-void-asked.v1': true,
  'purchase-voided.v1': true,
  'purchase-refund-asked.v1': true,
  'purchase-coupon-cancelled.v1': true,
  'purchase-coupon-replaced.v1': true,
  'purchase-money-returned.v1': true,
});
