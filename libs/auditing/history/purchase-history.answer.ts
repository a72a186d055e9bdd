import { z } from 'zod';
import { EVENT_FIELDS } from '../event/event.answer.js';

/** The events that the log lacks: of most logs none, and then the answer does not have this field. */
export const MISSING_EVENTS = z
  .array(z.string())
  .optional()
  .describe('Events that the log lacks because somebody cut it, which an operator has accepted: `stream@revision`.');

/** A deal as the purchase, or a coupon that was issued again, was sold (ruling I2). */
export const SOLD_DEAL = z
  .strictObject({
    id: z.string(),
    revision: z.int().describe('Of the event in the deal’s stream that has the deal so.'),
    title: z.string(),
    merchant_name: z.string().nullable(),
    price: z.int().nullable().describe('Cents.'),
    value: z.int().nullable().describe('Cents.'),
    description1: z.string().nullable(),
    highlights: z.string().nullable(),
    instructions: z.string().nullable(),
    fine_print: z.string().nullable(),
    fine_print_legalese: z.string().nullable().describe('Null unless the coupons of the deal are printed.'),
    locations: z.array(
      z.strictObject({ address: z.array(z.string()).describe('Its lines.'), phone: z.string(), hours: z.string() }),
    ),
    image: z.string().nullable(),
    time_zone: z.string().describe('Of the region that sold it, as it is now.'),
  })
  .meta({ id: 'SoldDeal', description: 'A deal as it was sold, whatever has become of it since.' });

/** One event of a purchase's history (ruling G7). */
export const HISTORY_EVENT = z
  .strictObject({
    ...EVENT_FIELDS,
    state: z.strictObject({
      payment_state: z.string().nullable(),
      fulfillment_state: z.string().nullable(),
      user_id: z.string().nullable(),
      coupons: z.array(z.strictObject({ id: z.string(), state: z.string() })),
      stock: z
        .strictObject({
          stock: z.int().nullable(),
          held: z.int(),
          sold: z.int(),
          codes_left: z.int().nullable(),
        })
        .nullable()
        .describe(
          'The deal’s units right after the latest event in this list, up to this one, that changed them; later changes by other purchases do not show. null before the first such event.',
        ),
    }),
  })
  .meta({ id: 'HistoryEvent', description: 'An event of a purchase, and the state that it led to.' });
