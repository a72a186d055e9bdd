import { z } from 'zod';

/** A coupon as answers show it (interface 2.6, ruling B7). */
export const COUPON = z
  .strictObject({
    id: z.string(),
    slug: z.string().describe('The same as id.'),
    deal_id: z.string(),
    deal_type: z.string(),
    barcode: z.string(),
    expires_at: z.string().nullable().describe('Such as Fri Dec 16 19:11:15 UTC 2011.'),
    created_at: z.string().describe('Such as Fri Dec 16 19:11:15 UTC 2011.'),
    qr_code_url: z.url(),
    qr_code: z.base64().describe('A PNG picture in base64.'),
    state: z.enum(['valid', 'cancelled', 'expired', 'redeemed', 'reissued']),
    redemption_code: z.string().nullable(),
    redeemed_at: z.string().nullable().describe('Such as Fri Dec 16 19:11:15 UTC 2011.'),
    print_url: z.url(),
  })
  .meta({ id: 'Coupon', description: 'What one unit of a purchase is redeemed with.' });
