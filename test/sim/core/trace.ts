import { createHash, type Hash } from 'node:crypto';

/** One thing that happened, in words: when, who, and what they did. */
export interface Told {
  /** Milliseconds since the world began. */
  readonly at: number;
  readonly who: string;
  readonly what: string;
}

/** Everything that happened in a world, as lines. Their digest shows that two runs were the same. */
export class Trace {
  readonly #hash: Hash = createHash('sha256');
  readonly #listeners: ((told: Told) => void)[] = [];
  #lines = 0;

  constructor(private readonly now: () => number) {}

  tell(who: string, what: string): void {
    const at = this.now();
    this.#lines += 1;
    this.#hash.update(`${at.toFixed(3)} ${who} ${what}\n`);
    for (const listener of this.#listeners) listener({ at, who, what });
  }

  /** Calls for every line from now on. */
  listen(listener: (told: Told) => void): void {
    this.#listeners.push(listener);
  }

  get lines(): number {
    return this.#lines;
  }

  /** Of all lines so far, 16 hex characters. */
  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }
}
