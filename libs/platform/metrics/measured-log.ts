import type { AppendResult, EventLog, Time } from '#eventsourcing';
import { Durations } from '#kernel';
import type { SalesFigures } from '#purchasing';

/** How a process writes to the log. */
export class LogFigures {
  /** From the call to its answer, the sync included; of those that were written. */
  readonly durations = new Durations();
  /** Lists of events, each for one stream, that are on disk. */
  appends = 0;
  events = 0;
  /** Calls that the log has refused, or has not answered. */
  failures = 0;
}

/** The same log; it counts what is written, and which sales that is. */
export function measuredLog(log: EventLog, figures: LogFigures, sales: SalesFigures, time: Time): EventLog {
  const { identity, countsBytes, dense } = log;
  return {
    identity,
    countsBytes,
    ...(dense !== undefined && { dense }),
    readStream: (stream, from, max) => log.readStream(stream, from, max),
    ...(log.isOthers !== undefined && { isOthers: async (stream: string) => (await log.isOthers?.(stream)) ?? false }),
    head: () => log.head(),
    eventAt: (position) => log.eventAt(position),
    subscribe: (after, max, signal) => log.subscribe(after, max, signal),
    async append(list, progress) {
      const began = time.monotonic();
      let results: readonly AppendResult[];
      try {
        results = await log.append(list, progress);
      } catch (error) {
        figures.failures += 1;
        throw error;
      }
      figures.durations.note(time.monotonic() - began);
      for (const [nth, { stream, events }] of list.entries()) {
        if (results[nth]?.kind !== 'written') continue;
        figures.appends += 1;
        figures.events += events.length;
        sales.wrote(stream, events);
      }
      return results;
    },
    close: () => log.close(),
  };
}
