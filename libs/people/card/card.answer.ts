import { z } from 'zod';

/** A card as answers show it (interface 2.8, ruling B8). */
export const CARD_SHOWN = z
  .strictObject({
    id: z.string(),
    credit_card_id: z.string().describe('The same as id.'),
    number: z
      .string()
      .regex(/^XXXX\d{4}$/)
      .describe('Its last four digits.'),
    type: z.enum(['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay', 'maestro', 'unknown']),
    primary: z.boolean().describe('Whether it is the default.'),
    deleted: z.boolean().describe('Whether it is deleted: then it buys nothing, and only `deleted=true` lists it.'),
  })
  .meta({ id: 'CreditCard', description: 'A stored card.' });
