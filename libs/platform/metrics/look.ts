import type { Time } from '#eventsourcing';

/** A look may take this part of the time at most: if it takes long, the next one comes later. */
const PART = 0.01;

/** A value that somebody must ask for, such as how many rows a view has: remembered for a while, and asked for again. */
export class Look<T> {
  #value: T | null = null;
  #under: Promise<void> | undefined;
  #next = -Infinity;

  /**
   * @param read asks for it; if it fails, nobody knows the value for a while
   * @param every milliseconds between two looks, at least
   */
  constructor(
    private readonly read: () => Promise<T>,
    private readonly every: number,
    private readonly time: Pick<Time, 'monotonic'>,
  ) {}

  /** The last answer; null: unknown. It begins to ask again if that is due. */
  get value(): T | null {
    void this.renewed();
    return this.#value;
  }

  /** The answer of the look that is due now, or the last one. */
  async renewed(): Promise<T | null> {
    if (this.#under === undefined && this.time.monotonic() >= this.#next) {
      this.#under = this.#ask().finally(() => (this.#under = undefined));
    }
    await this.#under;
    return this.#value;
  }

  async #ask(): Promise<void> {
    const began = this.time.monotonic();
    this.#value = await this.read().catch(() => null);
    const ended = this.time.monotonic();
    this.#next = began + Math.max(this.every, (ended - began) / PART);
  }
}
