import { z } from 'zod';
import { success } from '#http';
import { COUPON } from '../coupon/coupon.answer.js';
import { FULFILLMENT_STATES, PAYMENT_STATES } from './purchase.row.js';

/** A purchase as answers show it (interface 2.5, ruling B6). */
export const PURCHASE = z
  .strictObject({
    id: z.string(),
    purchase_id: z.string().describe('The same as id.'),
    deal_type: z.string(),
    deal_id: z.string(),
    price: z.int().describe('Cents per unit.'),
    amount: z.int().describe('Cents for all units.'),
    number_bought: z.int(),
    payment_state: z
      .enum(PAYMENT_STATES)
      .describe(
        '`pending`: held, released, or not yet known; `charged`: we charged the card, or the partner claimed the units.',
      ),
    fulfillment_state: z
      .enum(FULFILLMENT_STATES)
      .describe('`reserved`: held until `Holdfast-Expires-At`; `released`: given back or run out; `fulfilled`: sold.'),
    created_at: z.string().describe('Such as Fri Dec 16 19:11:15 UTC 2011.'),
    user_id: z.string().nullable().describe('Null until the claim.'),
    credit_card_id: z.string().nullable().describe('Null for holds and claims, which the buyer pays to the partner.'),
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
        'One for each unit. Empty while nothing is sold: for a hold, and while the payment is pending. Null only in the answer of POST /purchases: GET /purchases/{purchase_id} shows the coupons.',
      ),
  })
  .meta({ id: 'Purchase', description: 'A reservation or purchase.' });

/** The answer of a call with one purchase. */
export const PURCHASE_ANSWER = success({ purchase: PURCHASE });
