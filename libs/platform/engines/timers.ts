import type { Queue } from 'bullmq';
import type { Logger } from 'pino';
import { InProcessTimers } from '#adapters/embedded';
import type { Clock, EventLog, Time, WorkTimers } from '#eventsourcing';
import type { Config } from '../config.js';

/** Opens the timers that wake the work lists: jobs in Redis, which all workers share, or timers of this process. */
export async function openTimers(
  { redisUrl: url, timers: enabled }: Config,
  {
    clock,
    log,
    lists,
    logger,
    time,
  }: {
    readonly clock: Clock;
    readonly log: EventLog;
    readonly lists: readonly string[];
    readonly logger: Logger;
    readonly time: Time;
  },
): Promise<{ readonly timers: WorkTimers; readonly queues: readonly Queue[] }> {
  const onError = (error: unknown): void => logger.error({ err: error }, 'a work list could not be worked on');
  if (url === undefined)
    return { timers: new InProcessTimers(clock, { enabled, onError: (_, error) => onError(error), time }), queues: [] };
  const away = (message: string): void => logger.error(message);
  const warn = (message: string): void => logger.warn(message);
  const { BullMqTimers } = await import('#adapters/bullmq');
  const timers = await BullMqTimers.open({
    url,
    prefix: `holdfast-${log.identity}`,
    clock,
    lists,
    onError,
    away,
    warn,
    time,
  });
  return { timers, queues: timers.queues };
}
