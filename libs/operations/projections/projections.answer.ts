import { z } from 'zod';
import type { Compared, GenerationStatus, ViewStatus } from '#eventsourcing';
import { type AnswerOf, success } from '#http';

const POSITION = z.string().describe('The last position that it has reached, in digits.');
const LAST_ERROR = z
  .string()
  .nullable()
  .describe('Why it has stopped, or why what builds all projections broke; null while it goes on.');

/** The state of one projection (ruling G6). */
export const PROJECTION = z
  .strictObject({
    view: z.string(),
    version: z.int(),
    generation: z.int().nullable().describe('The live generation, which callers read; null if there is none.'),
    state: z.enum(['building', 'live', 'stopped']),
    position: POSITION,
    lag_events: z
      .int()
      .min(0)
      .nullable()
      .describe('How many events it is behind the log, on a server about; null while that is unknown.'),
    lag_seconds: z.number().min(0).describe('How much older its last event is than the newest event of the log.'),
    last_error: LAST_ERROR,
    stopped_at: z
      .strictObject({
        position: z.string().describe('Its position, in digits: `skip` needs it.'),
        event: z.string().describe('`stream@revision`.'),
      })
      .nullable()
      .describe('The event that it cannot take; null while it runs.'),
  })
  .meta({ id: 'Projection', description: 'The state of a projection.' });

/** The state of one generation of a projection (ruling G6). */
export const GENERATION = z
  .strictObject({
    number: z.int(),
    state: z
      .enum(['building', 'ready', 'live', 'stopped', 'failed', 'cancelled'])
      .describe(
        '`ready`: it has caught up, follows the log, and can be promoted. `failed`, `cancelled`: it is no more; of each view the last ten are remembered until a restart.',
      ),
    position: POSITION,
    progress: z.number().min(0).max(1).describe('The part of the log that it has read, from 0 to 1.'),
    events_per_second: z.number().min(0).describe('The speed over the last seconds.'),
    time_left: z.int().nullable().describe('About how many seconds until it is ready; null if unknown.'),
    last_error: LAST_ERROR,
  })
  .meta({ id: 'Generation', description: 'One build of a projection.' });

const ROWS = z.int().min(0);
const KEYS = z.array(z.string()).describe('Keys of the first ones.');
const VALUE = z
  .union([z.number(), z.boolean(), z.null(), z.enum(['(text)', '(list)', '(object)', '(absent)'])])
  .describe('A number, true, false or null; of anything else only what it is, because it may be sealed or secret.');

/** In what a generation differs from the live one (ruling G6.1). */
export const COMPARED = success({
  view: z.string(),
  generation: z.int(),
  live: z.int().describe('The generation that it was compared with.'),
  rows: ROWS.describe('Rows of both together, each key once.'),
  added: ROWS.describe('Rows that only this generation has.'),
  removed: ROWS.describe('Rows that only the live one has.'),
  changed: ROWS.describe('Rows that both have, with different contents.'),
  samples: z.strictObject({
    added: KEYS,
    removed: KEYS,
    changed: z
      .array(
        z.strictObject({
          key: z.string(),
          fields: z.array(
            z.strictObject({
              field: z.string().describe('A field of the row; one in a part is `units.sold`.'),
              live: VALUE,
              other: VALUE,
            }),
          ),
        }),
      )
      .describe('The first ones, and in which fields they differ.'),
  }),
});

export function presentCompared(
  view: string,
  generation: number,
  live: number,
  { rows, added, removed, changed, samples }: Compared,
): AnswerOf<typeof COMPARED> {
  return {
    status: 'success',
    ...{ view, generation, live, rows, added, removed, changed },
    samples: {
      added: [...samples.added],
      removed: [...samples.removed],
      changed: samples.changed.map(({ key, fields }) => ({ key, fields: [...fields] })),
    },
  };
}

/** The answer to an order: the generation that it was about. */
export const ORDERED = success({ generation: z.int() });

export function presentProjection(status: ViewStatus): AnswerOf<typeof PROJECTION> {
  const { view, version, generation, state, position, lagEvents, lagSeconds, error, stoppedAt } = status;
  return {
    view,
    version,
    generation,
    state,
    position: position.toString(),
    lag_events: lagEvents,
    lag_seconds: lagSeconds,
    last_error: error,
    stopped_at: stoppedAt ?? null,
  };
}

export function presentGeneration(status: GenerationStatus): AnswerOf<typeof GENERATION> {
  const { number, state, position, progress, eventsPerSecond, timeLeft, error } = status;
  return {
    number,
    state,
    position: position.toString(),
    progress,
    events_per_second: eventsPerSecond,
    time_left: timeLeft,
    last_error: error,
  };
}
