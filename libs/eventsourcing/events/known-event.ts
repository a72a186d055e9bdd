import type { Position, Recorded } from '#kernel';
import type { EventLogReader } from '../ports/event-log.js';
import type { Time } from '../ports/time.js';

/** How long to wait for a log that ends before an event that is known, in milliseconds: it may only be behind. */
export const BEHIND_FOR = 5_000;
const LOOK_EVERY = 250;

/**
 * The event at a position that somebody has known; waits for it while the log ends before, because the log may only be behind.
 * @param options.until by the clock that counts on, when to give up; asked once the log lacks the event
 * @param options.stop ends the wait
 * @param options.waits called once if there is something to wait for
 * @throws Unavailable if the log cannot be asked
 */
export async function knownEventAt(
  log: Pick<EventLogReader, 'eventAt' | 'head'>,
  position: Position,
  options: {
    readonly time: Time;
    readonly until: () => number;
    readonly stop?: AbortSignal;
    readonly waits?: () => void;
  },
): Promise<Recorded | undefined> {
  const { time, until, stop, waits } = options;
  for (let first = true; ; first = false) {
    const event = await log.eventAt(position);
    if (event !== undefined || stop?.aborted === true || time.monotonic() > until()) return event;
    // It may have come since.
    if ((await log.head()) >= position) return log.eventAt(position);
    if (first) waits?.();
    await time.pause(LOOK_EVERY);
  }
}
