import { begin, beginWith, type FollowUp, type Instant } from '#kernel';
import { eventOfCode, textOfCode } from '../inventory/code-pool.js';
import type { SoldCoupon } from '../inventory/inventory.events.js';
import type { DealSummary } from '../inventory/sale-terms.js';
import { coupon, type CouponCommand } from './coupon.decider.js';

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

/**
 * Commands to issue one coupon for each unit, each in its own stream (ruling D10). The sale names the places of the codes, and
 * a coupon has its code as text.
 */
export function issueCoupons(sale: CouponSale, created_at: Instant): FollowUp[] {
  const { purchase_id, partner_id, user_id, deal, coupons, coupons_expire_at: expires_at } = sale;
  return coupons.map(({ id, barcode, unit, code }, number) => {
    const issue = (redemption_code: string | null): CouponCommand => ({
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
        unit,
        redemption_code,
        created_at,
        expires_at,
      },
    });
    if (code === null) return begin(coupon, id, issue(null));
    return beginWith(coupon, id, eventOfCode(deal.id, code), (event) => {
      const text = textOfCode(event, code);
      return text === undefined ? undefined : issue(text);
    });
  });
}
