import { type AnswerOf, type Presenters, newestOf } from '#http';
import type { Instant } from '#kernel';
import { presentCoupon, type Presenting } from '../coupon/coupon.present.js';
import type { CouponRow } from '../coupon/coupon.row.js';
import type { DealAsSold } from '../ports/deal-details.js';
import type { TILL_ANSWER } from './till.answer.js';

/** A coupon with its deal as it was sold. */
export interface CouponAtTill {
  readonly row: CouponRow;
  /** As it was sold (ruling I2). */
  readonly deal: DealAsSold;
}

/** What a till shows of a coupon before it redeems it (ruling I8). */
function firstAtTill(
  { row, deal: { title, merchant_name, value, fine_print, instructions } }: CouponAtTill,
  now: Instant,
  presenting: Omit<Presenting, 'slices'>,
): AnswerOf<typeof TILL_ANSWER> {
  return {
    status: 'success',
    coupon: presentCoupon(row, now, presenting),
    deal: { title, merchant_name, value, fine_print, instructions },
  };
}

/** By the version of the answers (ruling H6). */
export const atTillPresenters: Presenters<typeof firstAtTill> = { 1: firstAtTill };

/** What a till shows of a coupon before it redeems it (ruling I8). */
export const presentAtTill = newestOf(atTillPresenters);
