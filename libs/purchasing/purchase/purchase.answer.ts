import { z } from 'zod';
import { COUPON } from '../coupon/coupon.answer.js';

/** A purchase as answers show it (interface 2.5, ruling B6). */
export const PURCHASE = z
  .strictObject({
    id: z.string(),
    purchase_id: z.string().describe('The same as id.'),
    deal_type: z.string(),
    deal_id: z.string(),
    price: z.int().describe('Cents per unit.'),
    amount: z.int().describe('Cents in all.'),
    number_bought: z.int(),
    payment_state: z
      .enum(['pending', 'charged', 'declined', 'refunded'])
      .describe('Pending: held, released, or not yet known; `charged` with a claim: the partner was paid.'),
    fulfillment_state: z
      .enum(['reserved', 'released', 'pending', 'fulfilled', 'cancelled'])
      .describe(
        '`reserved`: held, until `Holdfast-Expires-At`; `released`: given back, or run out; `fulfilled`: sold.',
      ),
    created_at: z.string().describe('Such as Fri Dec 16 19:11:15 UTC 2011.'),
    user_id: z.string().nullable().describe('Null until it is claimed.'),
    credit_card_id: z.string().nullable().describe('Null where the partner was paid: of holds and claims.'),
    deal: z.strictObject({
      id: z.string(),
      deal_id: z.string(),
      title: z.string(),
      type: z.string(),
      image_url: z.string().nullable().describe('Relative.'),
      image_url_abs: z.url().nullable(),
    }),
    coupons: z
      .array(COUPON)
      .nullable()
      .describe(
        'One for each unit. Empty while nothing is sold: of a hold, and while the payment is pending. Null in the answer of POST /purchases alone, which does not tell them: GET /purchases/{purchase_id} does.',
      ),
  })
  .meta({ id: 'Purchase', description: 'A reservation or purchase.' });
