import { z } from 'zod';
import { success } from '#http';

/** A coupon as answers show it (interface 2.6, ruling B7). */
export const COUPON = z
  .strictObject({
    id: z.string(),
    slug: z.string().describe('The same as id.'),
    deal_id: z.string(),
    deal_type: z.string(),
    barcode: z.string().describe('12 digits, for tills that scan Code 128.'),
    expires_at: z.string().nullable().describe('Such as Fri Dec 16 19:11:15 UTC 2011.'),
    created_at: z.string().describe('Such as Fri Dec 16 19:11:15 UTC 2011.'),
    qr_code_url: z.url().describe('The picture of `qr_code`; it needs no key.'),
    qr_code: z
      .base64()
      .describe('A PNG picture in base64. A scan opens a page that shows deal and state, and redeems nothing.'),
    state: z.enum(['valid', 'cancelled', 'expired', 'redeemed', 'reissued']),
    redemption_code: z.string().nullable().describe('From the deal’s pool of codes; null without a pool.'),
    redeemed_at: z.string().nullable().describe('Such as Fri Dec 16 19:11:15 UTC 2011.'),
    print_url: z.url().describe('The page for the owner to print or show; it needs no key.'),
  })
  .meta({ id: 'Coupon', description: 'The coupon that redeems one unit of a purchase.' });

/** The answer of a call with one coupon. */
export const COUPON_ANSWER = success({ coupon: COUPON });
