/** What counts as the last seconds, in milliseconds. */
const WINDOW = 5_000;
/** A mark is made at most so often, in milliseconds. */
const APART = 200;

interface Mark {
  readonly at: number;
  readonly count: number;
}

/** How many events a second were taken over the last seconds. Times are milliseconds of a clock that only moves forward. */
export class EventRate {
  #count = 0;
  readonly #marks: Mark[];

  constructor(now: number) {
    this.#marks = [{ at: now, count: 0 }];
  }

  took(events: number, now: number): void {
    this.#mark(now);
    this.#count += events;
  }

  /** 0 when nothing was taken in the last seconds. */
  perSecond(now: number): number {
    this.#mark(now);
    const [first] = this.#marks;
    if (first === undefined || first.count === this.#count) return 0;
    return Math.round(((this.#count - first.count) / Math.max(1, now - first.at)) * 1_000);
  }

  #mark(now: number): void {
    const last = this.#marks.at(-1);
    if (last === undefined || now - last.at >= APART) this.#marks.push({ at: now, count: this.#count });
    // The newest mark that is older than the window stays: it is where the window begins.
    while ((this.#marks[1]?.at ?? now) <= now - WINDOW) this.#marks.shift();
  }
}
