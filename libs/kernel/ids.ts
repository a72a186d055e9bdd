import { randomFillSync } from 'node:crypto';
import type { Instant } from './instant.js';

const pool = Buffer.alloc(4096);
let used = pool.length;

/**
 * A command id: a UUID version 7 whose last two bytes are zero, left for the index of the event. The time stands in
 * front, so that ids made one after another lie next to one another in an index.
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

/** The id of the event with this index (0 to 65 535) among all events of one command. */
export function eventId(commandId: string, index: number): string {
  if (index > 0xffff) throw new RangeError('one command writes at most 65 536 events');
  return commandId.slice(0, 32) + index.toString(16).padStart(4, '0');
}

/** The instant at which a command id was made. */
export function timeOfCommandId(commandId: string): Instant {
  return parseInt(commandId.slice(0, 8) + commandId.slice(9, 13), 16);
}
