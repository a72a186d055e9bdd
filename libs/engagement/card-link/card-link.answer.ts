import { z } from 'zod';
import { CARD_LINK_STATES } from './card-link.row.js';

/** A card link as answers show it (interface 2.9). */
export const CARD_LINK = z
  .strictObject({
    id: z.string(),
    deal_id: z.string(),
    user_id: z.string(),
    merchant_id: z.string().nullable().describe('The deal’s merchant; null if it has none.'),
    state: z.enum(CARD_LINK_STATES),
  })
  .meta({ id: 'CardLink', description: 'The link of a user’s card to a card-linked deal.' });
