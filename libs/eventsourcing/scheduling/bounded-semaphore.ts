import { Unavailable } from '../errors.js';

/** Runs at most `atOnce` pieces of work at the same time; at most `waiting` more wait, first come, first served. */
export class BoundedSemaphore {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param bounds `refusal`: the message for a caller who cannot even wait */
  constructor(
    private readonly bounds: { readonly atOnce: number; readonly waiting: number; readonly refusal: string },
  ) {}

  /** @throws Unavailable when too much work waits */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { atOnce, waiting, refusal } = this.bounds;
    if (this.#running >= atOnce) {
      if (this.#waiting.length >= waiting) throw new Unavailable(refusal, 1);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      // The next in line takes over the place.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
