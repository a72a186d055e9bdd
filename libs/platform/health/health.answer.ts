import { z } from 'zod';

const STATUS = z.enum(['success', 'error']).describe('`error` while the service is not ready.');

/** What operators and auditors see, and everybody at the admin address. */
const DETAILS = z
  .strictObject({
    status: STATUS,
    version: z.string().describe('The version of Holdfast.'),
    commit: z
      .string()
      .describe(
        'The commit that it was built from, with `-dirty` if it was changed; `unknown` if the build did not know.',
      ),
    initialized: z
      .boolean()
      .describe('Whether the start has made the first tokens and the demo, and the views have reached them.'),
    log: z.strictObject({
      state: z.enum(['writing', 'failed', 'refused']),
      head: z.string().describe('The last position, in digits.'),
      error: z.string().nullable(),
      events_of_others: z
        .int()
        .describe(
          'Events of other programs that the log’s server has delivered since the views were opened: they are only counted.',
        ),
    }),
    findings: z
      .array(z.strictObject({ code: z.string(), stream: z.string().nullable(), message: z.string() }))
      .describe('Facts that show that the log or a stream is not whole or not ours: an operator must act on them.'),
    more_findings: z
      .int()
      .describe('How many more findings there are: only the first ones are listed; the process log has all.'),
    views: z.array(
      z.strictObject({
        view: z.string(),
        state: z.string(),
        lag: z.int().nullable().describe('How many events it is behind the log; null while that is unknown.'),
        error: z.string().nullable(),
      }),
    ),
    queue: z
      .strictObject({
        in: z.enum(['process', 'Redis']).describe('What wakes the work that is due.'),
        state: z
          .enum(['working', 'degraded'])
          .describe('`degraded`: Redis is away, and such work waits; it is ready all the same.'),
        error: z.string().nullable(),
      })
      .meta({ id: 'QueueHealth' }),
    audit: z
      .strictObject({
        last_ended: z.string().nullable().describe('When its last whole pass ended; null before the first one.'),
        age: z.int().nullable().describe('Seconds since then.'),
        events: z.int().nullable().describe('How many events that pass checked.'),
        progress: z
          .number()
          .nullable()
          .describe(
            'How far the present pass is, from 0 to 1; null between two passes, and if another process audits.',
          ),
        findings: z
          .array(
            z.strictObject({
              code: z.string().describe('What sort of contradiction it is.'),
              where: z.string().nullable().describe('The event, stream or row.'),
              message: z.string(),
            }),
          )
          .describe(
            'What contradicts itself in the log, or in what was built from it. It is reported, and the service is ready all the same.',
          ),
        more_findings: z.int().describe('How many more there are: the process log has them.'),
      })
      .nullable()
      .meta({ id: 'AuditHealth' })
      .describe('What the self-audit says of the log; null if none runs.'),
    stuck: z.int().nullable().describe('How many pieces of work keep failing; null while that is unknown.'),
  })
  .meta({ id: 'HealthDetails', description: 'Whether the service can do its work, and what hinders it.' });

/** What everybody sees. */
const READINESS = z
  .strictObject({ status: STATUS })
  .meta({ id: 'Readiness', description: 'Whether the service is ready.' });

/** The health of the service (ruling G11): strangers see only whether it is ready. */
export const HEALTH = z.union([READINESS, DETAILS]);
