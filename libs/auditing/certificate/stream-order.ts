import type { ExportedEvent } from './exported-event.js';
import type { Faults } from './faults.js';
import { isDecision } from './follows.js';
import { instant } from './values.js';

/**
 * How far the clocks of two processes that decide may be apart, in milliseconds: each decides only if it agrees with the log's
 * server within 10 s.
 */
export const CLOCKS_APART = 20_000;

/** Checks revisions, positions and times of one stream's events, in their order. */
export class StreamOrder {
  #revision = -1;
  #position = -1n;
  #time = 0;

  constructor(private readonly faults: Faults) {}

  take(event: ExportedEvent): void {
    const { faults } = this;
    const position = BigInt(event.position);
    if (event.revision > this.#revision + 1) faults.add(event, 'order', 'events of its stream before it are missing');
    if (event.revision <= this.#revision) faults.add(event, 'order', 'its revision is not above the one before it');
    if (position <= this.#position) faults.add(event, 'order', 'its position is not above that of the event before it');
    this.#revision = event.revision;
    this.#position = position;
    if (!isDecision(event)) return;
    const time = instant(event.time);
    if (time < this.#time - CLOCKS_APART) faults.add(event, 'time', 'it is earlier than a decision before it');
    this.#time = Math.max(this.#time, time);
  }
}
