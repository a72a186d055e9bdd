import { Unavailable } from '../errors.js';
import type { Time } from '../ports/time.js';

/** How long a start waits for a server that does not answer, in milliseconds: it may be restarting. */
const START_WITHIN = 60_000;
const LOOK_EVERY = 250;

/** Repeats a step of a start until its server answers. @throws Unavailable after `START_WITHIN` */
export async function retryWhileUnavailable<T>(time: Time, step: () => Promise<T>): Promise<T> {
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
