// These names are on disk.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';
import type { SoldCoupon } from '../inventory/inventory.events.js';
import type { CURRENCY, DealSummary } from '../inventory/sale-terms.js';

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

/** What a gateway did, or would not do, with money. What an event of an older version does not say is null. */
export interface Payment {
  /** Cents. */
  readonly amount: number | null;
  /** ISO 4217. */
  readonly currency: typeof CURRENCY | null;
  /** The last four digits of the card. */
  readonly last4: string | null;
  /** The gateway's name. */
  readonly gateway: string | null;
  /** Under which name the gateway keeps it; null where it gave none. */
  readonly reference: string | null;
}

/** How often the gateway was asked for the charge without an answer. */
export interface LostAttempts {
  /**
   * The first of them has an event of its own, which this one names as its cause; further ones are counted as far as the
   * process that heard the outcome knows of them. Null where an older version does not say it.
   */
  readonly lost_attempts: number | null;
}

/** The gateway took the money: the units are sold, and these coupons are issued. */
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

/** The gateway was asked for the charge, and its answer did not come: it may have taken the money, or not. */
export interface ChargeLost extends Payment {
  readonly purchase_id: string;
}

/** The money of a cancelled coupon went back, or will never go back by the gateway. */
export interface CouponMoney extends Payment {
  readonly purchase_id: string;
  readonly coupon_id: string;
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
  | EventOf<'purchase-charge-lost.v1', ChargeLost>
  /** For good: what an earlier try may have taken is given back before the purchase is closed. */
  | EventOf<'purchase-charge-refused.v1', PurchaseClosed & Payment & { readonly reason: string }>
  | EventOf<'purchase-charged.v2', PurchaseCharged>
  | EventOf<'purchase-declined.v2', PurchaseClosed & Payment & LostAttempts & { readonly reason: string }>
  | EventOf<'purchase-void-asked.v1', PurchaseClosed & { readonly reason: string }>
  | EventOf<'purchase-voided.v2', PurchaseClosed & Payment & LostAttempts & { readonly refunded: boolean }>
  | EventOf<'purchase-refund-asked.v1', RefundAsked>
  | EventOf<'purchase-coupon-cancelled.v1', PurchaseCouponCancelled>
  | EventOf<'purchase-coupon-replaced.v1', PurchaseCouponReplaced>
  | EventOf<'purchase-money-returned.v2', CouponMoney>
  /** For good: it is for people to give it back. */
  | EventOf<'purchase-money-refused.v1', CouponMoney & { readonly reason: string }>;

/** Version 1 said nothing of the money; it is not looked up either. */
const withoutPayment: Payment = { amount: null, currency: null, last4: null, gateway: null, reference: null };
const paymentFromV1 = (data: object): object => ({ ...data, ...withoutPayment });
const outcomeFromV1 = (data: object): object => ({ ...paymentFromV1(data), lost_attempts: null });

export const purchaseEvents = defineEventTypes<PurchaseEvent>(
  'purchase',
  {
    'purchase-recorded.v1': true,
    'purchase-opened.v1': true,
    'purchase-charge-lost.v1': true,
    'purchase-charge-refused.v1': true,
    'purchase-charged.v2': true,
    'purchase-declined.v2': true,
    'purchase-void-asked.v1': true,
    'purchase-voided.v2': true,
    'purchase-refund-asked.v1': true,
    'purchase-coupon-cancelled.v1': true,
    'purchase-coupon-replaced.v1': true,
    'purchase-money-returned.v2': true,
    'purchase-money-refused.v1': true,
  },
  [
    { from: 'purchase-charged.v1', to: 'purchase-charged.v2', change: outcomeFromV1 },
    { from: 'purchase-declined.v1', to: 'purchase-declined.v2', change: outcomeFromV1 },
    { from: 'purchase-voided.v1', to: 'purchase-voided.v2', change: outcomeFromV1 },
    { from: 'purchase-money-returned.v1', to: 'purchase-money-returned.v2', change: paymentFromV1 },
  ],
);
