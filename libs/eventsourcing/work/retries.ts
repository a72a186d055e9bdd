import { MINUTE, SECOND } from '#kernel';

const LONGEST_PAUSE = 5 * MINUTE;
/**
 * How long a row whose command succeeded may stay until its view has followed, in milliseconds; after that it is tried
 * again.
 */
const SETTLE = 5 * SECOND;

/** After this many tries a row is stuck: it continues with the longest pause, and operators see it. */
export const STUCK_AFTER = 10;

/** Whether a row that was tried so often is stuck. */
export const isStuck = ({ tries }: { readonly tries: number }): boolean => tries >= STUCK_AFTER;

/** The reason shown for a row that is open although its command succeeded. */
export const STILL_OPEN = 'its command succeeded, but its view has not followed yet';

/** Milliseconds until the next try after this many tries: 1, 2, 4 … 300 s; never less than a view may need. */
export function pauseAfter(tries: number, last: 'failed' | 'done'): number {
  const pause = tries >= STUCK_AFTER ? LONGEST_PAUSE : Math.min(SECOND * 2 ** (tries - 1), LONGEST_PAUSE);
  return last === 'done' ? Math.max(SETTLE, pause) : pause;
}
