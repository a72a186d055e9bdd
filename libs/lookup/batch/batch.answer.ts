import { z } from 'zod';
import { MOMENT, success } from '#http';
import { BATCH_LISTED } from '../lists/batches.list.js';

export const OUTCOMES = ['waiting', 'under-way', 'delayed', 'sent', 'failed', 'skipped'] as const;

/** A batch with what has become of each mail. */
export const BATCH = success({
  batch: BATCH_LISTED,
  mails: z.array(
    z.strictObject({
      user_id: z.string(),
      outcome: z.enum(OUTCOMES),
      attempts: z.int().describe('How often it was tried.'),
      reason: z.string().nullable().describe('Why it is delayed, failed or was skipped.'),
      at: MOMENT.nullable().describe('When that became known; null if it waits.'),
    }),
  ),
});
