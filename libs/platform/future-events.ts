import type { Logger } from 'pino';
import type { Clock, EventLogReader } from '#eventsourcing';

/** Clocks that are kept right differ by less, in milliseconds. */
const MUCH = 10_000;

/**
 * Warns, at a start, of a log whose last event lies in the future: a clock was ahead once, or this one is behind. What is
 * decided from now on goes by this clock alone.
 */
export async function warnOfFutureEvents(log: EventLogReader, clock: Clock, logger: Logger): Promise<void> {
  const head = await log.head();
  const last = head === 0n ? undefined : await log.eventAt(head);
  if (last === undefined) return;
  const ahead = last.metadata.time - clock.now();
  if (ahead <= MUCH) return;
  logger.warn(
    `the last event, ${last.stream}@${last.revision}, lies ${Math.round(ahead / 1_000)} s in the future: a clock was ahead ` +
      'when it was written, or this machine’s is behind. Nothing lasts longer for it; set the clock right if it is wrong',
  );
}
