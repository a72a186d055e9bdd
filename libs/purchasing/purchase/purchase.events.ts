// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';
import type { SoldCoupon } from '../inventory/inventory.events.js';
import type { CURRENCY, DealSummary } from '../inventory/sale-terms.js';

/** The data of every purchase, whoever takes the money. */
interface AnyPurchase {
  readonly purchase_id: string;
  readonly partner_id: string;
  readonly deal: DealSummary;
  readonly quantity: number;
  /** Cents per unit. */
  readonly price: number;
  /** Cents. */
  readonly amount: number;
  readonly created_at: Instant;
}

/** The purchase of a user. */
export interface PurchaseMade extends AnyPurchase {
  readonly user_id: string;
}

/**
 * A purchase that a reseller made with a buyer of their own: charged and fulfilled at once. `amount` is the amount of their
 * transaction.
 */
export interface PurchaseResold extends AnyPurchase {
  /** The resale that holds the units; null for a card-linked deal, which has no stock. */
  readonly resale_id: string | null;
  readonly transaction_reference: string;
  readonly transaction_date: Instant;
  /** A keyed hash of everything that the partner sent. */
  readonly content: string;
  /** A sealed `ResaleBuyer` under the key of the purchase's id; null if the partner sent nothing about them. */
  readonly buyer: string | null;
  readonly coupons: readonly SoldCoupon[];
  readonly coupons_expire_at: Instant | null;
}

/** A resale that another one under the same reference has overtaken, or whose call broke off. Its units are free again. */
export interface ResaleAbandoned {
  readonly purchase_id: string;
  readonly resale_id: string;
  readonly deal_id: string;
}

/** A purchase that the buyer paid to the partner: charged and fulfilled at once. */
export type PurchaseRecorded = PurchaseMade;

/** A purchase with an open charge: everything that the charge and the coupons need. */
export interface PurchaseOpened extends PurchaseMade {
  readonly credit_card_id: string;
  readonly shipping_address_id: string | null;
  /** The affiliate session from the partner's request. */
  readonly session_id: string | null;
  readonly coupons: readonly SoldCoupon[];
  readonly expires_at: Instant | null;
  /** Days from the sale until the coupons expire; null if `expires_at` decides. */
  readonly expiration_days: number | null;
  /** From then on the work list takes over the charge. */
  readonly takeover_at: Instant;
}

/** What a gateway did with money, or refused to do. */
export interface Payment {
  /** Cents. */
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: typeof CURRENCY;
  /** The last four digits of the card; null if the wallet does not know it any more. */
  readonly last4: string | null;
  /** The gateway's name. */
  readonly gateway: string;
  /** The gateway's reference; null if it gave none. */
  readonly reference: string | null;
}

/** The number of tries of the charge that the gateway did not answer. */
export interface LostAttempts {
  /**
   * The first lost try has its own event, the cause of this one. Of later tries this counts only those that the process with
   * the outcome knows.
   */
  readonly lost_attempts: number;
}

/** The gateway took the money: the units are sold, with these coupons. */
export interface PurchaseCharged extends Payment, LostAttempts {
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

/** The gateway declined the card, or a cancellation had reached it before the charge. */
export interface PurchaseDeclined extends PurchaseClosed, Payment, LostAttempts {
  readonly reason: string;
  /** The card that was declined, by its number (see `numberHashOf`): it counts (ruling I12). Null after a cancellation. */
  readonly number_hash: string | null;
}

/** The gateway did not answer a charge: it may have taken the money, or not. */
export interface ChargeLost extends Payment {
  readonly purchase_id: string;
}

/** The gateway gave back the money of a cancelled coupon, or never will. */
export interface CouponMoney extends Payment {
  readonly purchase_id: string;
  readonly coupon_id: string;
}

/** Who gives money back: our gateway, or the partner whom the buyer has paid, of a claim or a resale (ruling I15). */
export type RefundBy = 'gateway' | 'partner';

/** A coupon of the purchase is cancelled, and the buyer gets back what it cost. */
export interface PurchaseCouponCancelled {
  readonly purchase_id: string;
  readonly coupon_id: string;
  readonly refund_by: RefundBy;
  /** Cents to give back for it. */
  readonly refund: number;
  /** Cents that go back for all coupons so far, this one included. */
  readonly refunded: number;
  /** Units that are not cancelled; at 0 the purchase becomes `refunded` and `cancelled`. */
  readonly units_left: number;
}

/** A coupon of the purchase has a new id after a reissue. */
export interface PurchaseCouponReplaced {
  readonly purchase_id: string;
  readonly coupon_id: string;
  readonly replacement_id: string;
}

/** An operator asked to cancel each of these coupons. */
export interface RefundAsked {
  readonly purchase_id: string;
  readonly coupons: readonly string[];
  readonly reason: string;
}

/**
 * The buyer is erased (ruling G12). Of a reseller's buyer, the key that opens their data is destroyed; of a user's purchase, nothing
 * shows the last four digits of the card any more.
 */
export interface PurchaseBuyerErased {
  readonly purchase_id: string;
  /** Null for a reseller's buyer. */
  readonly user_id: string | null;
  /** The operator's. */
  readonly reason: string;
  readonly erased_at: Instant;
}

export type PurchaseEvent =
  | EventOf<'purchase-recorded.v1', PurchaseRecorded>
  | EventOf<'purchase-opened.v1', PurchaseOpened>
  | EventOf<'purchase-charge-lost.v1', ChargeLost>
  /** A final refusal. The gateway first gives back what an earlier try may have taken; then the purchase closes. */
  | EventOf<'purchase-charge-refused.v1', PurchaseClosed & Payment & { readonly reason: string }>
  | EventOf<'purchase-charged.v1', PurchaseCharged>
  | EventOf<'purchase-declined.v1', PurchaseDeclined>
  | EventOf<'purchase-void-asked.v1', PurchaseClosed & { readonly reason: string }>
  | EventOf<'purchase-voided.v1', PurchaseClosed & Payment & LostAttempts & { readonly refunded: boolean }>
  | EventOf<'purchase-refund-asked.v1', RefundAsked>
  | EventOf<'purchase-coupon-cancelled.v1', PurchaseCouponCancelled>
  | EventOf<'purchase-coupon-replaced.v1', PurchaseCouponReplaced>
  | EventOf<'purchase-money-returned.v1', CouponMoney>
  /** A final refusal: people must give the money back. */
  | EventOf<'purchase-money-refused.v1', CouponMoney & { readonly reason: string }>
  | EventOf<'purchase-resold.v1', PurchaseResold>
  | EventOf<'purchase-resale-abandoned.v1', ResaleAbandoned>
  | EventOf<'purchase-buyer-erased.v1', PurchaseBuyerErased>;

export const purchaseEvents = defineEventTypes<PurchaseEvent>(
  'purchase',
  {
    'purchase-recorded.v1': true,
    'purchase-opened.v1': true,
    'purchase-charge-lost.v1': true,
    'purchase-charge-refused.v1': true,
    'purchase-charged.v1': true,
    'purchase-declined.v1': true,
    'purchase-void-asked.v1': true,
    'purchase-voided.v1': true,
    'purchase-refund-asked.v1': true,
    'purchase-coupon-cancelled.v1': true,
    'purchase-coupon-replaced.v1': true,
    'purchase-money-returned.v1': true,
    'purchase-money-refused.v1': true,
    'purchase-resold.v1': true,
    'purchase-resale-abandoned.v1': true,
    'purchase-buyer-erased.v1': true,
  },
  [],
  {
    'purchase-recorded.v1': ['quantity', 'price', 'amount'],
    'purchase-opened.v1': ['quantity', 'price', 'amount'],
    'purchase-resold.v1': ['quantity', 'price', 'amount'],
  },
);
