import { z } from 'zod';
import { MOMENT } from '#http';

/** A backup that was ordered. */
export const ORDERED_BACKUP = z
  .strictObject({
    state: z.enum(['running', 'done', 'failed']),
    began_at: z.string(),
    ended_at: z.string().nullable().describe('null while it runs.'),
    events: z.int().nullable().describe('How many events the backup has; null before its end.'),
    copied: z.int().nullable().describe('How many of them are new.'),
    bytes: z.int().nullable().describe('How many bytes were written.'),
    failure: z.string().nullable().describe('Why it failed; null if it did not.'),
  })
  .meta({ id: 'OrderedBackup', description: 'A backup that an operator has ordered.' });

/** The backup that runs, or the last one. */
export const BACKUP_ANSWER = z.strictObject({
  status: z.literal('success'),
  newest: z
    .strictObject({ at: MOMENT.nullable().describe('Up to when it reaches; null if the folder holds none.') })
    .nullable()
    .describe('The newest backup in BACKUP_DIR, whoever took it; null if it is not set, or cannot be read.'),
  backup: ORDERED_BACKUP.nullable().describe('null if none was ordered since the start of the service.'),
});
