/** The length of the measured period, in milliseconds. */
const WINDOW = 5_000;
/** The shortest time between two samples, in milliseconds. */
const APART = 200;

interface Sample {
  readonly at: number;
  readonly count: number;
}

/** The number of events per second over the last seconds. Times are milliseconds of a clock that never goes back. */
export class EventRate {
  #count = 0;
  readonly #samples: Sample[];

  constructor(now: number) {
    this.#samples = [{ at: now, count: 0 }];
  }

  took(events: number, now: number): void {
    this.#sample(now);
    this.#count += events;
  }

  /** 0 if the last seconds had no event. */
  perSecond(now: number): number {
    this.#sample(now);
    const [first] = this.#samples;
    if (first === undefined || first.count === this.#count) return 0;
    return Math.round(((this.#count - first.count) / Math.max(1, now - first.at)) * 1_000);
  }

  #sample(now: number): void {
    const last = this.#samples.at(-1);
    if (last === undefined || now - last.at >= APART) this.#samples.push({ at: now, count: this.#count });
    // The newest sample older than the period stays, because the period begins there.
    while ((this.#samples[1]?.at ?? now) <= now - WINDOW) this.#samples.shift();
  }
}
