import { begin, type Directive, type Instant } from '#kernel';
import type { SoldCoupon } from '../inventory/inventory.events.js';
import type { DealSummary } from '../inventory/sale-terms.js';
import { coupon } from './coupon.decider.js';

/** The parts of a sale that its coupons need. */
export interface CouponSale {
  readonly purchase_id: string;
  readonly partner_id: string;
  /** Null for the sale of a reseller. */
  readonly user_id: string | null;
  readonly deal: DealSummary;
  readonly coupons: readonly SoldCoupon[];
  readonly coupons_expire_at: Instant | null;
}

/** Commands to issue one coupon for each unit, each in its own stream (ruling D10). */
export function issueCoupons(sale: CouponSale, created_at: Instant): Directive[] {
  const { purchase_id, partner_id, user_id, deal, coupons, coupons_expire_at: expires_at } = sale;
  return coupons.map(({ id, barcode, redemption_code }, number) =>
    begin(coupon, id, {
      type: 'issue',
      coupon: {
        coupon_id: id,
        purchase_id,
        partner_id,
        user_id,
        deal_id: deal.id,
        deal_type: deal.type,
        deal_revision: deal.revision,
        number,
        barcode,
        redemption_code,
        created_at,
        expires_at,
      },
    }),
  );
}
