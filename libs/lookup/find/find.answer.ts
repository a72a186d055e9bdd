import { z } from 'zod';
import { success } from '#http';
import { LISTS } from '../lists/index.js';

const PARTNER = z.strictObject({ id: z.string(), name: z.string(), slug: z.string(), suspended: z.boolean() });
const STREAM = z.strictObject({
  stream: z.string(),
  category: z.string(),
  first: z.string().describe('The type of its first event.'),
});
const EVENT = z.strictObject({
  stream: z.string(),
  revision: z.int(),
  type: z.string(),
  position: z.string(),
  actor: z.string(),
});

/** What a search has found, as the list of its kind shows it. */
const ITEM = z.union([...new Set(LISTS.map(({ item }) => item)), PARTNER, STREAM, EVENT] as readonly z.ZodObject[]);

/** What a search names, best first. */
export const FOUND = success({
  found: z.array(
    z
      .strictObject({
        kind: z.string().describe('Such as `coupon`, `purchase`, `user`, `deal`, `partner`, `stream` or `event`.'),
        id: z.string(),
        matched: z.string().describe('What of it is what you sent, such as `id`, `barcode` or `email`.'),
        path: z.string().nullable().describe('The call that shows it; null if a list alone has it.'),
        item: ITEM.describe('As the list of its kind shows it.'),
      })
      .meta({ id: 'FoundThing', description: 'Something that a search has found.' }),
  ),
});
