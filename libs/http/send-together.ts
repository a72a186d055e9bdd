import type { Time } from '#eventsourcing';

/** The end of a hook: it sends the payload, or answers the error. */
type Done = (error: Error | null, payload?: unknown) => void;

/**
 * Sends an answer at the end of this turn of the event loop, together with the others of the turn. Sending wakes the receiver,
 * which costs more than the rest of it; the receiver of answers that leave together is awake after the first.
 */
export function sendTogether(time: Pick<Time, 'soon'>, payload: unknown, done: Done): void {
  time.soon(() => {
    try {
      done(null, payload);
    } catch (error) {
      // Nobody else would catch it here: it would end the process.
      done(error as Error);
    }
  });
}
