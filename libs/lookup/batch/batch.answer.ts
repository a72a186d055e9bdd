import { z } from 'zod';
import { MOMENT, success } from '#http';
import { MAIL_OUTCOMES } from '#mailing/model';
import { BATCH_LISTED } from '../lists/batches.list.js';

/** What has become of the mail to one recipient. */
export const BATCH_MAIL = z.strictObject({
  user_id: z.string(),
  outcome: z.enum(MAIL_OUTCOMES),
  attempts: z.int().describe('How often it was tried.'),
  reason: z.string().nullable().describe('Why it is delayed, failed or was skipped.'),
  at: MOMENT.nullable().describe('When that became known; null if it waits.'),
});

/** A batch with what has become of each mail. */
export const BATCH = success({
  batch: BATCH_LISTED,
  mails: z.array(BATCH_MAIL),
});
