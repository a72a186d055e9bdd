import type { Time } from '../ports/time.js';

/** Milliseconds of a slice, unless its work says otherwise. */
const SLICE = 5;

/** Gives all work that is divided one slice in each turn of the event loop, so that many such calls delay others no more than one. */
class SharedTurns {
  readonly #waiting: (() => void)[] = [];
  #going = false;

  constructor(private readonly time: Pick<Time, 'turn'>) {}

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#going) void this.#go();
    });
  }

  async #go(): Promise<void> {
    this.#going = true;
    while (this.#waiting.length > 0) {
      await this.time.turn();
      this.#waiting.shift()?.();
    }
    this.#going = false;
  }
}

/** One for each process: it has one source of time. */
const turns = new WeakMap<Pick<Time, 'turn'>, SharedTurns>();

/**
 * Divides one long piece of work into slices, so that other calls are served in between:
 * `if (slices.isOver) await slices.next();`. Work that fits into one slice never waits.
 */
export class Slices {
  readonly #time: Pick<Time, 'monotonic' | 'turn'>;
  readonly #turns: SharedTurns;
  #since: number;

  /** @param length of a slice, in milliseconds */
  constructor(
    time: Pick<Time, 'monotonic' | 'turn'>,
    private readonly length = SLICE,
  ) {
    this.#time = time;
    this.#turns = turns.get(time) ?? new SharedTurns(time);
    turns.set(time, this.#turns);
    this.#since = time.monotonic();
  }

  get isOver(): boolean {
    return this.#time.monotonic() - this.#since > this.length;
  }

  /** Begins the next slice when all other work has had its turn, and other divided work its slice. */
  async next(): Promise<void> {
    await this.#turns.next();
    this.#since = this.#time.monotonic();
  }
}
