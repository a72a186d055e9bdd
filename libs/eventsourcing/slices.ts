import type { Time } from './ports/time.js';

/** Milliseconds of a slice. */
const SLICE = 5;

/**
 * Divides one long piece of work into slices, so that other calls are served in between:
 * `if (slices.isOver) await slices.next();`. Work that fits into one slice never waits.
 */
export class Slices {
  readonly #time: Pick<Time, 'monotonic' | 'turn'>;
  #since: number;

  constructor(time: Pick<Time, 'monotonic' | 'turn'>) {
    this.#time = time;
    this.#since = time.monotonic();
  }

  get isOver(): boolean {
    return this.#time.monotonic() - this.#since > SLICE;
  }

  /** Begins the next slice when all other work has had its turn. */
  async next(): Promise<void> {
    await this.#time.turn();
    this.#since = this.#time.monotonic();
  }
}
