import type { Instant } from '#kernel';
import type { Randomness } from '../ports/randomness.js';

/**
 * A command id: a UUID version 7. It begins with the time, so that ids made one after another are neighbours in an index. */
export function newCommandId(now: Instant, randomness: Pick<Randomness, 'hex'>): string {
  const random = randomness.hex(9);
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6)}`;
}

/** The ids of all events that one process decides. */
export class EventIds {
  /** The common beginning: 72 random bits in a UUID of version 8. */
  readonly #own: string;
  #made = 0;

  constructor(randomness: Pick<Randomness, 'hex'>) {
    this.#own = randomness.hex(9).replace(/^(.{8})(.{4})(.{3})(.{3})$/, '$1-$2-8$3-8$4-');
  }

  /**
   * The id of one decided event: a UUID version 8 of the process's random part and a counter. No process makes it again. So
   * an event with this id in the log was written by exactly the attempt that the id was made for.
   */
  next(): string {
    return this.#own + (this.#made++).toString(16).padStart(12, '0');
  }

  /** Whether this process decided the event with this id. */
  has(id: string): boolean {
    return id.startsWith(this.#own);
  }
}

const COMMAND_ID = /^([0-9a-f]{8})-([0-9a-f]{4})-7/;

/** When `newCommandId` made the id; 0 for an id that it has not made. */
export function madeAt(commandId: string): Instant {
  const [, high, low] = COMMAND_ID.exec(commandId) ?? [];
  return high === undefined || low === undefined ? 0 : parseInt(high + low, 16);
}
