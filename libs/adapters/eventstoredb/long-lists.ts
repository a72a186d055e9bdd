import type { Time } from '#eventsourcing';

/** A list with more followers than this is long. */
const LONG = 16;
/** What has begun should be written within this time, in milliseconds, at the pace of the last seconds. */
const WRITTEN_WITHIN = 15_000;
/** Appends per second before any were counted. */
const FIRST_PACE = 2_000;
/** Milliseconds between two countings. After more than twice this time, there was nothing to count. */
const COUNTED_EVERY = 1_000;

interface Waiting {
  readonly followers: number;
  readonly isWanted: () => boolean;
  readonly begin: () => void;
}

/**
 * Bounds the followers of long lists that wait to be written: a list begins only if it and those before it can be written in
 * time. So what has begun ends for its caller, and what would come too late is refused before it writes anything.
 */
export class LongLists {
  #open = 0;
  #waiting: Waiting[] = [];
  #pace = FIRST_PACE;
  #counted = 0;
  #since = -Infinity;

  constructor(private readonly time: Pick<Time, 'monotonic'>) {}

  static isLong(followers: number): boolean {
    return followers > LONG;
  }

  /**
   * Waits until a list with so many followers may begin, or is not wanted any more.
   * @returns what to call for each of them, written or not
   */
  async begin(followers: number, isWanted: () => boolean): Promise<() => void> {
    await new Promise<void>((begin) => {
      this.#waiting.push({ followers, isWanted, begin });
      this.#look();
    });
    return () => {
      this.#open -= 1;
      this.#count();
      this.#look();
    };
  }

  /** Lets those begin that may, in their order; one that nobody wants gives its place to others at once. */
  #look(): void {
    if (this.#waiting.length === 0) return;
    let isFirst = true;
    this.#waiting = this.#waiting.filter(({ followers, isWanted, begin }) => {
      const fits = this.#open === 0 || this.#open + followers <= (this.#pace * WRITTEN_WITHIN) / 1_000;
      if (isWanted() && !(fits && isFirst)) {
        isFirst = false;
        return true;
      }
      this.#open += followers;
      begin();
      return false;
    });
  }

  #count(): void {
    this.#counted += 1;
    const now = this.time.monotonic();
    const passed = now - this.#since;
    if (passed < COUNTED_EVERY) return;
    if (passed < 2 * COUNTED_EVERY) this.#pace = (this.#counted * 1_000) / passed;
    this.#counted = 0;
    this.#since = now;
  }
}
