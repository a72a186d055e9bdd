import { type Time, Unavailable } from '#eventsourcing';

/** So long a start waits for what cannot be asked, in milliseconds: a server may be started again just then. */
const START_WITHIN = 60_000;
const LOOK_EVERY = 250;

/** A step of a start, which may be taken again: until what it needs is there. @throws Unavailable after a while */
export async function patiently<T>(time: Time, step: () => Promise<T>): Promise<T> {
  const until = time.monotonic() + START_WITHIN;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof Unavailable) || time.monotonic() > until) throw error;
    }
    await time.pause(LOOK_EVERY);
  }
}
