import type { Instant } from '#kernel';
import type { Randomness } from './ports/randomness.js';

/**
 * A command id: a UUID version 7 whose last two bytes are zero. The time stands in front, so that ids made one after
 * another lie next to one another in an index.
 */
export function newCommandId(now: Instant, randomness: Pick<Randomness, 'hex'>): string {
  const random = randomness.hex(8);
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 14)}0000`;
}

/** The ids of all events that one process decides. */
export class EventIds {
  /** What all of them begin with: 72 random bits in a UUID of version 8. */
  readonly #own: string;
  #made = 0;

  constructor(randomness: Pick<Randomness, 'hex'>) {
    this.#own = randomness.hex(9).replace(/^(.{8})(.{4})(.{3})(.{3})$/, '$1-$2-8$3-8$4-');
  }

  /**
   * The id of one decided event: a UUID version 8 of a random part, made at the start of the process, and a counter. It is
   * never made again, here or elsewhere: an event that the log has under it was written by the attempt that it was made for,
   * and by no other one, whichever command that was decided for.
   */
  next(): string {
    return this.#own + (this.#made++).toString(16).padStart(12, '0');
  }

  /** Whether this process has decided the event of this id. */
  has(id: string): boolean {
    return id.startsWith(this.#own);
  }
}
