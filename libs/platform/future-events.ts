import type { Logger } from 'pino';
import type { Clock, EventLogReader } from '#eventsourcing';
import { CLOCKS_DIFFER } from '#ownership';

/**
 * Warns at a start if the last event of the log is in the future: a clock was ahead then, or this one is behind. New decisions
 * use this clock only.
 */
export async function warnOfFutureEvents(log: EventLogReader, clock: Clock, logger: Logger): Promise<void> {
  const head = await log.head();
  const last = head === 0n ? undefined : await log.eventAt(head);
  if (last === undefined) return;
  const ahead = last.metadata.time - clock.now();
  if (ahead <= CLOCKS_DIFFER) return;
  logger.warn(
    `the last event, ${last.stream}@${last.revision}, lies ${Math.round(ahead / 1_000)} s in the future: a clock was ahead ` +
      'when it was written, or this machine’s clock is behind. No deadline changes because of it. Correct the clock if it is wrong',
  );
}
