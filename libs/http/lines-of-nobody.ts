import type { Time, Timer } from '#eventsourcing';
import { LINES_OF_NOBODY } from '#kernel/bounds';
import { networkOf } from './networks.js';

const PERIOD = 1_000;

/**
 * Bounds how many lines of the log the requests of nobody’s have: whoever has no credential must neither fill a disk nor make
 * the service write. What has no line of its own is counted.
 */
export class LinesOfNobody {
  #began = -Infinity;
  #all = 0;
  /** By address, of IPv6 by network: none but those that had a line. */
  readonly #of = new Map<string, number>();
  readonly #untold = new Map<string, number>();
  #due: Timer | undefined;

  /** @param tell is given how many requests have no line, by their status, some time after the first of them */
  constructor(
    private readonly tell: (untold: Readonly<Record<string, number>>) => void,
    private readonly time: Time,
  ) {}

  /** Whether a request has a line of its own; otherwise it is counted. */
  takes(address: string, status: number | null): boolean {
    const now = this.time.monotonic();
    if (now >= this.#began + PERIOD) {
      this.#began = now;
      this.#all = 0;
      this.#of.clear();
    }
    const network = networkOf(address);
    const lines = this.#of.get(network) ?? 0;
    if (lines < LINES_OF_NOBODY.ofAddress && this.#all < LINES_OF_NOBODY.altogether) {
      this.#of.set(network, lines + 1);
      this.#all += 1;
      return true;
    }
    const name = String(status ?? 'unanswered');
    this.#untold.set(name, (this.#untold.get(name) ?? 0) + 1);
    this.#due ??= this.time.after(PERIOD, () => this.end()).unref();
    return false;
  }

  /** Tells what is still untold. */
  end(): void {
    this.time.cancel(this.#due);
    this.#due = undefined;
    if (this.#untold.size === 0) return;
    const untold = Object.fromEntries(this.#untold);
    this.#untold.clear();
    this.tell(untold);
  }
}
