import { z } from 'zod';

/** A saved deal as answers show it (interface 2.10). */
export const SAVED_DEAL = z
  .strictObject({ id: z.string(), deal_id: z.string(), user_id: z.string() })
  .meta({ id: 'SavedDeal', description: 'A deal that a user keeps.' });
