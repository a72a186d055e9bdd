import { z } from 'zod';

/** The health of the service (ruling G11): `status` is `error` while it is not ready. */
export const HEALTH = z
  .strictObject({
    status: z.enum(['success', 'error']),
    prepared: z.boolean().describe('What a start makes (the first tokens, the views) is there and answers.'),
    log: z.strictObject({
      state: z.enum(['writing', 'failed', 'refused']),
      head: z.string().describe('The last position, in digits.'),
      error: z.string().nullable(),
      foreign: z
        .int()
        .describe(
          'Events of other programs that its server has brought since the views were opened: counted, no more.',
        ),
    }),
    findings: z
      .array(z.strictObject({ code: z.string(), stream: z.string().nullable(), words: z.string() }))
      .describe('What contradicts that the log, or one of its streams, is whole and ours: an operator sees to it.'),
    untold: z
      .int()
      .describe('How many more there are: of very many the first ones are told, and the log of the process has all.'),
    views: z.array(
      z.strictObject({
        view: z.string(),
        state: z.string(),
        lag: z.int().describe('Events that it is behind the log.'),
        error: z.string().nullable(),
      }),
    ),
    stuck: z.int().nullable().describe('Work that keeps failing; null while that cannot be told.'),
  })
  .meta({ id: 'Health', description: 'Whether the service can do its work.' });
