import type { Instant, Recorded } from '#kernel';
import { findingOf, type Finding } from './ownership/finding.js';
import type { MovableClock } from './ports/clock.js';

/** Clocks that work differ by far less than this, in milliseconds. */
export const CLOCKS_DIFFER = 10_000;

const SERVER = 'the event log’s server';

/**
 * The finding that this machine’s clock contradicts another one.
 * @param ahead milliseconds; negative if this clock is behind
 */
export function wrongClock(ahead: number, whom = SERVER): Finding {
  const where = ahead < 0 ? 'behind' : 'ahead of';
  const words =
    `This machine’s clock is ${Math.round(Math.abs(ahead) / 1_000)} s ${where} that of ${whom}: holds would not last as ` +
    'long as promised. Correct the clock that is wrong, and start again.';
  return findingOf(words, ['clock', where, whom]);
}

/**
 * Compares the clocks of processes that share a log. They must agree, because each process ends the others' holds by its own
 * clock. The log's server says when it wrote each new event; a process whose clock contradicts that stops deciding, so the
 * process with the wrong clock stops. If the server does not say so, the times in other processes' events are all there is
 * to compare. The distance of the test clock does not count.
 */
export class ClockWatch {
  #found = false;

  /** @param isOwn whether this process decided the event with this id */
  constructor(
    private readonly clock: MovableClock,
    private readonly isOwn: (eventId: string) => boolean,
    private readonly refuse: (finding: Finding) => void,
  ) {}

  /**
   * Checks a new event. If the event moves the test clock, call this after the clock has moved.
   * @param written when the log's server wrote the event, or a later event that came with it; undefined if the server does
   * not say
   */
  check({ id, metadata }: Pick<Recorded, 'id' | 'metadata'>, written: Instant | undefined): void {
    if (this.#found || metadata.causation !== null) return;
    const [now, { ahead }] = [this.clock.now(), this.clock];
    if (written === undefined) {
      if (metadata.time - now > CLOCKS_DIFFER) this.#stop(now - metadata.time, 'another process of this log');
    } else if (written - (now - ahead) > CLOCKS_DIFFER) {
      // An event cannot be written in the future.
      this.#stop(now - ahead - written);
    } else if (this.isOwn(id) && metadata.time - ahead - written > CLOCKS_DIFFER) {
      // An event cannot be written before it is decided.
      this.#stop(metadata.time - ahead - written);
    }
  }

  #stop(ahead: number, whom?: string): void {
    this.#found = true;
    this.refuse(wrongClock(ahead, whom));
  }
}
