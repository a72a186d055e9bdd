import { z } from 'zod';
import { success } from '#http';
import { EVENT_FIELDS } from '../event/event.answer.js';

const { revision, position, time, actor, cause, type, words } = EVENT_FIELDS;

/** An event that changed a deal's units (ruling G7). */
const LEDGER_ENTRY = z
  .strictObject({
    ...{ revision, position, time, actor, cause, type, words },
    change: z
      .strictObject({
        stock: z.int().nullable().describe('null if the stock became unlimited, or was so and is not any more.'),
        held: z.int(),
        sold: z.int(),
      })
      .describe('The difference to the units before. A deal begins with none.'),
    units: z
      .strictObject({
        stock: z.int().nullable().describe('All units, sold ones included; null for unlimited.'),
        held: z.int(),
        sold: z.int(),
        codes_left: z.int().nullable().describe('Codes left in the pool; null without one.'),
      })
      .describe('The units after the event.'),
  })
  .meta({ id: 'LedgerEntry', description: 'An event that changed the stock, or how many units are held or sold.' });

/** A part of the ledger of a deal's stock (ruling G7). */
export const PART_OF_LEDGER = success({
  deal_id: z.string(),
  entries: z
    .array(LEDGER_ENTRY)
    .describe(
      'In order. Fewer than `limit` if events between them changed no units, or have much data, or at the end.',
    ),
  next: z.int().nullable().describe('The revision to go on `from`; null if there are no more events now.'),
});
