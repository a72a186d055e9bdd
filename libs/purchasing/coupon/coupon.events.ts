// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';

export interface CouponIssued {
  readonly coupon_id: string;
  readonly purchase_id: string;
  readonly partner_id: string;
  /** Null for a coupon that a reseller sold. */
  readonly user_id: string | null;
  readonly deal_id: string;
  readonly deal_type: string;
  /** The revision of the deal's event that has the deal as the coupon shows it (ruling I2). */
  readonly deal_revision: number;
  /** The coupon's number within the purchase, from 0. */
  readonly number: number;
  /** Twelve digits. */
  readonly barcode: string;
  /** The deal's number of its unit (`SoldCoupon`); null for a card-linked deal. A coupon that is issued again keeps it. */
  readonly unit: number | null;
  readonly redemption_code: string | null;
  readonly created_at: Instant;
  readonly expires_at: Instant | null;
}

export interface CouponRedeemed {
  readonly coupon_id: string;
  readonly purchase_id: string;
  readonly redeemed_at: Instant;
}

/** Cancelled in any state. Its unit returns to the stock, and money that our gateway took returns to the buyer. */
export interface CouponCancelled {
  readonly coupon_id: string;
  readonly purchase_id: string;
  readonly user_id: string | null;
  readonly deal_id: string;
  /** The unit that returns to the stock; null if it did not come from there, for card-linked deals. */
  readonly unit: number | null;
  readonly reason: string;
}

/** A new coupon replaces this one. */
export interface CouponReissued {
  readonly coupon_id: string;
  readonly purchase_id: string;
  readonly reason: string;
  /** Whether it was redeemed, and that was a mistake: then what counts redemptions of the deal counts one less (ruling I3). */
  readonly redeemed_by_mistake: boolean;
  readonly replacement: CouponIssued;
}

export type CouponEvent =
  | EventOf<'coupon-issued.v1', CouponIssued>
  | EventOf<'coupon-redeemed.v1', CouponRedeemed>
  | EventOf<'coupon-cancelled.v1', CouponCancelled>
  | EventOf<'coupon-reissued.v1', CouponReissued>;

export const couponEvents = defineEventTypes<CouponEvent>(
  'coupon',
  {
    'coupon-issued.v1': true,
    'coupon-redeemed.v1': true,
    'coupon-cancelled.v1': true,
    'coupon-reissued.v1': true,
  },
  [],
  {
    'coupon-issued.v1': ['deal_revision', 'number', 'unit?', 'created_at', 'expires_at?'],
    'coupon-redeemed.v1': ['redeemed_at'],
    'coupon-cancelled.v1': ['unit?'],
    'coupon-reissued.v1': [
      ...(['replacement.deal_revision', 'replacement.number', 'replacement.unit?'] as const),
      'replacement.expires_at?',
    ],
  },
);
