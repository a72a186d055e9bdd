import { z } from 'zod';
import { listed } from '#http';
import { COUPON } from '../coupon/coupon.answer.js';

/** A coupon as resellers see it (interface 2.6, ruling B7). It names its fields: what v1 shows besides is not shown here. */
export const RESOLD_COUPON = z
  .strictObject(
    COUPON.pick({
      id: true,
      slug: true,
      deal_id: true,
      deal_type: true,
      barcode: true,
      expires_at: true,
      created_at: true,
      qr_code_url: true,
      qr_code: true,
      state: true,
      redemption_code: true,
      redeemed_at: true,
    }).shape,
  )
  .meta({ id: 'ResoldCoupon', description: 'A coupon that a reseller sold.' });

/** A purchase as resellers see it (interface 2.5, ruling B8). It stands alone, without an envelope. */
export const RESOLD_PURCHASE = z
  .strictObject({
    id: z.string(),
    transaction_reference: z.string().describe('As the reseller sent it.'),
    amount: z.int().describe('Cents: the amount of the transaction.'),
    number_bought: z.int(),
    fulfillment_state: z.enum(['fulfilled', 'cancelled']).describe('`cancelled` once every coupon is cancelled.'),
    created_at: z.string().describe('Such as Fri Dec 16 19:11:15 UTC 2011.'),
    deal: z.strictObject({ id: z.string(), title: z.string(), image_url_abs: z.url().nullable() }),
    coupons: z.array(RESOLD_COUPON).describe('One for each unit.'),
  })
  .meta({ id: 'ResoldPurchase', description: 'A purchase whose transaction a reseller manages.' });

/** The answer of a list of purchases: like every list under `/api/v3`, without a status (ruling B8). */
export const RESOLD_PURCHASES = z.strictObject(listed('purchases', RESOLD_PURCHASE));

/** The answer of a call with one coupon: without a status (ruling B8). */
export const RESOLD_COUPON_ANSWER = z.strictObject({ coupon: RESOLD_COUPON });

/** The body for a coupon that a cancellation does not find (interface 7.3). */
export const NO_COUPON = z
  .strictObject({ status: z.literal('error'), message: z.string(), type: z.literal('find_failed') })
  .meta({ id: 'NoCoupon', description: 'There is no such coupon to cancel.' });

/** The body for a coupon that cannot be cancelled (interface 7.3). */
export const NOT_CANCELLED = z
  .strictObject({
    status: z.literal('error'),
    message: z.literal('Validation failed'),
    code: z.literal('422'),
    errors: z.strictObject({ coupons: z.array(z.string()).describe('Every reason that applies.') }),
  })
  .meta({ id: 'NotCancelled', description: 'Why a coupon cannot be cancelled.' });
