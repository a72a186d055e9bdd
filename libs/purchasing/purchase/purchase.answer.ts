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
    payment_state: z.enum(['pending', 'charged', 'declined', 'refunded']),
    fulfillment_state: z.enum(['reserved', 'released', 'pending', 'fulfilled', 'cancelled']),
    created_at: z.string().describe('Such as Fri Dec 16 19:11:15 UTC 2011.'),
    user_id: z.string().nullable(),
    credit_card_id: z.string().nullable(),
    deal: z.strictObject({
      id: z.string(),
      deal_id: z.string(),
      title: z.string(),
      type: z.string(),
      image_url: z.string().nullable().describe('Relative.'),
      image_url_abs: z.url().nullable(),
    }),
    coupons: z.array(COUPON).nullable(),
  })
  .meta({ id: 'Purchase', description: 'A reservation or purchase.' });
