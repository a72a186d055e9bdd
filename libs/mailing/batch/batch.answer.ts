import { z } from 'zod';
import { LISTS } from '#kernel/bounds';
import { BATCH_MODES } from '../schedule/schedule.events.js';
import { BATCH_STATES } from './batch.row.js';

/** A batch as answers show it, with its keys in the order of ruling B8. */
export const BATCH = z
  .strictObject({
    send_at: z.string().describe('ISO 8601, in UTC.'),
    deal_id: z.string(),
    status: z.enum(BATCH_STATES),
    user_ids: z.array(z.string()).max(LISTS.recipients),
    mode: z.enum(BATCH_MODES),
    id: z.string(),
  })
  .meta({ id: 'Batch', description: 'A mail about a deal that goes to some users at a time.' });
