import { unixDateTime, pictureOf, type AnswerOf, type Presenters, newestOf } from '#http';
import type { Instant } from '#kernel';
import type { COUPON } from '../coupon/coupon.answer.js';
import { presentCoupon, presentCoupons, type Presenting } from '../coupon/coupon.present.js';
import type { CouponRow } from '../coupon/coupon.row.js';
import type { PurchaseRow } from '../purchase/purchase.row.js';
import type { RESOLD_COUPON, RESOLD_PURCHASE } from './resold.answer.js';

/** The reseller's answer of a purchase (interface 2.5, ruling B8). */
async function firstResold(
  row: PurchaseRow,
  transaction_reference: string,
  now: Instant,
  presenting: Presenting,
): Promise<AnswerOf<typeof RESOLD_PURCHASE>> {
  const { id, deal, amount, quantity, created_at, fulfillment_state, coupons } = row;
  return {
    id,
    transaction_reference,
    amount,
    number_bought: quantity,
    fulfillment_state: fulfillment_state === 'cancelled' ? 'cancelled' : 'fulfilled',
    created_at: unixDateTime(created_at),
    deal: {
      id: deal.id,
      title: deal.title,
      image_url_abs: pictureOf(deal.image, 'medium', presenting.publicUrl.href)?.url ?? null,
    },
    coupons: (await presentCoupons(coupons, now, presenting)).map(resoldCoupon),
  };
}

/** The reseller's answer of a coupon (ruling B7). */
function firstResoldCoupon(
  row: CouponRow,
  now: Instant,
  presenting: Omit<Presenting, 'slices'>,
): AnswerOf<typeof RESOLD_COUPON> {
  return resoldCoupon(presentCoupon(row, now, presenting));
}

function resoldCoupon(coupon: AnswerOf<typeof COUPON>): AnswerOf<typeof RESOLD_COUPON> {
  return {
    id: coupon.id,
    slug: coupon.slug,
    deal_id: coupon.deal_id,
    deal_type: coupon.deal_type,
    barcode: coupon.barcode,
    expires_at: coupon.expires_at,
    created_at: coupon.created_at,
    qr_code_url: coupon.qr_code_url,
    qr_code: coupon.qr_code,
    state: coupon.state,
    redemption_code: coupon.redemption_code,
    redeemed_at: coupon.redeemed_at,
  };
}

/** By the version of the answers (ruling H6). */
export const resoldPresenters: Presenters<typeof firstResold> = { 1: firstResold };

/** The reseller’s answer of a purchase (interface 2.5, ruling B8). */
export const presentResold = newestOf(resoldPresenters);

/** By the version of the answers (ruling H6). */
export const resoldCouponPresenters: Presenters<typeof firstResoldCoupon> = { 1: firstResoldCoupon };

/** The reseller’s answer of a coupon (ruling B7). */
export const presentResoldCoupon = newestOf(resoldCouponPresenters);
