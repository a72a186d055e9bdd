import { MINUTE, SECOND } from '#kernel';

const LONGEST_PAUSE = 5 * MINUTE;
/** A row whose command went well stays until its view has followed, in milliseconds; it is tried again only after that. */
const SETTLE = 5 * SECOND;

/** A row that was tried so often is stuck: it goes on at the longest pause, for operators to see. */
export const STUCK_AFTER = 10;

/** What is told of a row that is open after a command that went well. */
export const STILL_OPEN = 'its command went well, and its view has not followed yet';

/** Milliseconds until a row is tried again after so many tries: 1, 2, 4 … 300 s; never sooner than a view may need. */
export function pauseAfter(tries: number, last: 'failed' | 'done'): number {
  const pause = tries >= STUCK_AFTER ? LONGEST_PAUSE : Math.min(SECOND * 2 ** (tries - 1), LONGEST_PAUSE);
  return last === 'done' ? Math.max(SETTLE, pause) : pause;
}
