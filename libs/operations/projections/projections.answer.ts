import { z } from 'zod';
import type { GenerationStatus, ViewStatus } from '#eventsourcing';
import { type AnswerOf, success } from '#http';

const POSITION = z.string().describe('The last position that it has reached, in digits.');
const LAST_ERROR = z.string().nullable().describe('Why it has stopped; null while it runs.');

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

/** The answer to an order: the generation that it was about. */
export const ORDERED = success({ generation: z.int() });

export function presentProjection(status: ViewStatus): AnswerOf<typeof PROJECTION> {
  const { view, version, generation, state, position, lagEvents, lagSeconds, error } = status;
  return {
    view,
    version,
    generation,
    state,
    position: position.toString(),
    lag_events: lagEvents,
    lag_seconds: lagSeconds,
    last_error: error,
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
