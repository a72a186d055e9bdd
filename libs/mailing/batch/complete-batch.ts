import { writeAllMissingFollowers, type Engine } from '#eventsourcing';
import type { EventBody, Position } from '#kernel';
import { batchFollowers, scheduleFollowers } from '../followers.js';
import type { ScheduleEvent } from '../schedule/schedule.events.js';
import type { BatchEvent } from './batch.events.js';

// A process that decided may have died before its followers wrote, and without a worker no work list does it. So whoever
// relies on them first writes what is missing.

type Parts = Pick<Engine, 'loop' | 'log' | 'codec' | 'clock' | 'randomness'>;

/** Writes the batch whose users have their places in the day. */
export function completeBatch(engine: Parts, scheduleId: string, batchId: string): Promise<Position | undefined> {
  return writeAllMissingFollowers(engine, scheduleFollowers, scheduleId, (event) => {
    const { type, data } = event as EventBody as ScheduleEvent;
    return type === 'users-scheduled.v1' && data.batch_id === batchId;
  });
}

/** Frees the users of a cancelled batch. */
export function completeFreeing(engine: Parts, batchId: string): Promise<Position | undefined> {
  return writeAllMissingFollowers(
    engine,
    batchFollowers,
    batchId,
    (event) => (event as EventBody as BatchEvent).type === 'batch-cancelled.v1',
  );
}
