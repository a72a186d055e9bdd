import { z } from 'zod';
import { success } from '#http';
import { COUPON } from '../coupon/coupon.answer.js';

/** The deal of a coupon, as far as the person at the till needs it. */
const DEAL_AT_TILL = z.strictObject({
  title: z.string(),
  merchant_name: z.string().nullable(),
  value: z.int().nullable().describe('Cents; null for a deal without prices.'),
  fine_print: z.string().nullable(),
  instructions: z.string().nullable(),
});

/** The answer of the call that shows a coupon before it is redeemed (ruling I8). */
export const TILL_ANSWER = success({ coupon: COUPON, deal: DEAL_AT_TILL });
