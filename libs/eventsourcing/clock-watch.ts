import type { Instant, Recorded } from '#kernel';
import { findingOf, type Finding } from './ownership/finding.js';
import type { MovableClock } from './ports/clock.js';

/** Clocks of machines that are kept right differ by far less, in milliseconds. */
export const CLOCKS_DIFFER = 10_000;

const SERVER = 'the event log’s server';

/**
 * That this machine’s clock contradicts another one.
 * @param ahead milliseconds; negative where it is behind
 */
export function wrongClock(ahead: number, whom = SERVER): Finding {
  const where = ahead < 0 ? 'behind' : 'ahead of';
  const words =
    `This machine’s clock is ${Math.round(Math.abs(ahead) / 1_000)} s ${where} that of ${whom}: holds would not last as long as ` +
    'they are promised to. Set the clock that is wrong, and start again.';
  return findingOf(words, ['clock', where, whom]);
}

/**
 * Where several processes share a log, their clocks must agree: each ends the others' holds by its own. The log's server
 * says when it wrote each new event; a process whose clock contradicts that decides no more, so that it is the wrong clock
 * that stops. A log that does not say so leaves what other processes have decided, and that alone. How far the test clock
 * was moved counts for nothing.
 */
export class ClockWatch {
  #found = false;

  /** @param isOwn whether this process has decided the event of an id */
  constructor(
    private readonly clock: MovableClock,
    private readonly isOwn: (eventId: string) => boolean,
    private readonly refuse: (finding: Finding) => void,
  ) {}

  /**
   * A new event, once the clock has followed it where it moves the clock.
   * @param written when it was written, or a later one that came with it, by the log's own clock, where that is told
   */
  check({ id, metadata }: Pick<Recorded, 'id' | 'metadata'>, written: Instant | undefined): void {
    if (this.#found || metadata.causation !== null) return;
    const [now, { ahead }] = [this.clock.now(), this.clock];
    if (written === undefined) {
      if (metadata.time - now > CLOCKS_DIFFER) this.#stop(now - metadata.time, 'another process of this log');
    } else if (written - (now - ahead) > CLOCKS_DIFFER) {
      // Nothing was written later than now.
      this.#stop(now - ahead - written);
    } else if (this.isOwn(id) && metadata.time - ahead - written > CLOCKS_DIFFER) {
      // Nothing is written before it is decided.
      this.#stop(metadata.time - ahead - written);
    }
  }

  #stop(ahead: number, whom?: string): void {
    this.#found = true;
    this.refuse(wrongClock(ahead, whom));
  }
}
