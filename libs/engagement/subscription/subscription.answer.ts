import { z } from 'zod';
import { SUBSCRIPTION_STATUSES } from './subscription.events.js';

/** A subscription as answers show it (interface 2.11). */
export const SUBSCRIPTION = z
  .strictObject({
    id: z.string(),
    user_id: z.string(),
    status: z.enum(SUBSCRIPTION_STATUSES),
    confirmed: z
      .boolean()
      .describe('Whether the user followed the link that was mailed to the address that they have now.'),
    region_id: z.string(),
    region_name: z.string(),
    zip: z.string().nullable().describe('The ZIP that decided the region; null for an erased user.'),
    created_at: z.string(),
    source: z.string().nullable(),
  })
  .meta({ id: 'Subscription', description: 'A user’s subscription to the mails of a region.' });
