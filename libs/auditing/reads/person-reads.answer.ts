import { z } from 'zod';
import { MOMENT, success } from '#http';
import { SHOWN_BY } from '#lookup/model';

/** Who has read a user's personal data (ruling G7). */
export const PERSON_READS = success({
  user_id: z.string(),
  reads: z
    .array(
      z.strictObject({
        revision: z.int(),
        reader: z.string().describe('An operator or auditor, such as `operator:ann`.'),
        day: z.string().describe('YYYY-MM-DD, in UTC.'),
        shown_by: z.enum(SHOWN_BY).describe('The first call of the day that showed it.'),
        time: MOMENT,
      }),
    )
    .describe('In order: one for each reader and day.'),
  next: z.int().nullable().describe('The revision to go on `from`; null if there are no more now.'),
});
