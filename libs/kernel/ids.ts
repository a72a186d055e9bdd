import { randomBytes, randomFillSync } from 'node:crypto';
import type { Instant } from './instant.js';

const pool = Buffer.alloc(4096);
let used = pool.length;

/**
 * A command id: a UUID version 7 whose last two bytes are zero. The time stands in front, so that ids made one after
 * another lie next to one another in an index.
 */
export function newCommandId(now: Instant): string {
  if (used + 8 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.toString('hex', used, used + 8);
  used += 8;
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 14)}0000`;
}

/** What the ids of all events that this process decides begin with: 72 random bits in a UUID of version 8. */
const PROCESS = randomBytes(9)
  .toString('hex')
  .replace(/^(.{8})(.{4})(.{3})(.{3})$/, '$1-$2-8$3-8$4-');
let events = 0;

/**
 * The id of one decided event: a UUID version 8 of a random part, made at the start of the process, and a counter. It is
 * never made again, here or elsewhere: an event that the log has under it was written by the attempt that it was made for,
 * and by no other one, whichever command that was decided for.
 */
export function newEventId(): string {
  return PROCESS + (events++).toString(16).padStart(12, '0');
}

/** Whether this process has decided the event of this id. */
export function isOwnEventId(id: string): boolean {
  return id.startsWith(PROCESS);
}

/** The instant at which a command id was made. */
export function timeOfCommandId(commandId: string): Instant {
  return parseInt(commandId.slice(0, 8) + commandId.slice(9, 13), 16);
}
