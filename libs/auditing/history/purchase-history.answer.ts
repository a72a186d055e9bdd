import { z } from 'zod';

/** One event of a purchase's history (ruling G7). */
export const HISTORY_EVENT = z
  .strictObject({
    position: z.string().describe('In the log, in digits.'),
    stream: z.string(),
    revision: z.int(),
    type: z
      .string()
      .describe('What happened, such as `purchase-charged.v2`; the number is the version of what `data` holds.'),
    time: z
      .string()
      .describe('When it was decided, by the clock of the service: UTC, ISO 8601. `position` tells the order.'),
    actor: z.string(),
    cause: z.string().nullable().describe('The event that it follows from; null for a decision.'),
    command_id: z.string(),
    correlation: z.string(),
    data: z.record(z.string(), z.unknown()).describe('As it is in the log.'),
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
          'The deal’s units right after the latest event above that changed them, here or before; what other purchases did to them since is not in it. null before the first one.',
        ),
    }),
  })
  .meta({ id: 'HistoryEvent', description: 'An event of a purchase, and the state that it led to.' });
