import { z } from 'zod';
import { instant, oneOfWords, optional, text, TIME_FORM } from '#http';
import { FULFILLMENT_STATES, PAYMENT_STATES } from './purchase.row.js';

/** What narrows a list of purchases. */
export const FILTERS = z.object({
  from: optional(instant()).describe(`Lists nothing that was made before this time. ${TIME_FORM}`),
  to: optional(instant()).describe(`Lists nothing that was made after this time. ${TIME_FORM}`),
  payment_state: optional(oneOfWords(PAYMENT_STATES)),
  fulfillment_state: optional(oneOfWords(FULFILLMENT_STATES)).describe('A hold that has run out is `released`.'),
  deal_id: optional(text('id')).describe('Lists only what was bought or reserved of this deal.'),
  reference: optional(text('line')).describe('The reference of a reseller’s transaction.'),
});
