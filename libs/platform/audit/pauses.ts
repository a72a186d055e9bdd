import type { Time } from '#eventsourcing/ports';

/** Milliseconds of work between two rests, or two turns for others. */
const SLICE = 10;

/** Divides work into slices, and rests between them so that it takes only a part of the time. */
export class Pauses {
  #since: number;

  /** @param share of the time in which it works, above 0 and up to 1 */
  constructor(
    private readonly time: Pick<Time, 'monotonic' | 'pause' | 'turn'>,
    private readonly share: number,
    private readonly signal: AbortSignal,
  ) {
    this.#since = time.monotonic();
  }

  /** Rests if a slice is over; undefined if it is not. */
  between(): Promise<void> | undefined {
    const worked = this.time.monotonic() - this.#since;
    return worked < SLICE ? undefined : this.#rest(worked);
  }

  async #rest(worked: number): Promise<void> {
    const rest = (worked * (1 - this.share)) / this.share;
    await (rest < 1 ? this.time.turn() : this.time.pause(rest, { signal: this.signal }));
    this.#since = this.time.monotonic();
  }
}
