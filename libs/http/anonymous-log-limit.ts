import type { Time, Timer } from '#eventsourcing';
import { ANONYMOUS_LOG_LINES } from '#kernel/bounds';
import { networkOf } from './networks.js';

const PERIOD = 1_000;

/**
 * Bounds the log lines of requests without a valid credential: such callers must not fill a disk or make the service busy. It
 * counts the requests that get no line.
 */
export class AnonymousLogLimit {
  #began = -Infinity;
  #all = 0;
  /** Lines in this period by address, for IPv6 by network. Only addresses that had a line are in it. */
  readonly #of = new Map<string, number>();
  readonly #notLogged = new Map<string, number>();
  #due: Timer | undefined;

  /** @param tell receives the number of requests without a line, by status, one period after the first of them */
  constructor(
    private readonly tell: (notLogged: Readonly<Record<string, number>>) => void,
    private readonly time: Time,
  ) {}

  /** Whether a request gets its own line; if not, it is counted. */
  takes(address: string | undefined, status: number | null): boolean {
    const now = this.time.monotonic();
    if (now >= this.#began + PERIOD) {
      this.#began = now;
      this.#all = 0;
      this.#of.clear();
    }
    const network = networkOf(address);
    const lines = this.#of.get(network) ?? 0;
    if (lines < ANONYMOUS_LOG_LINES.ofAddress && this.#all < ANONYMOUS_LOG_LINES.altogether) {
      this.#of.set(network, lines + 1);
      this.#all += 1;
      return true;
    }
    const name = String(status ?? 'unanswered');
    this.#notLogged.set(name, (this.#notLogged.get(name) ?? 0) + 1);
    this.#due ??= this.time.after(PERIOD, () => this.end()).unref();
    return false;
  }

  /** Reports the count, if there is one. */
  end(): void {
    this.time.cancel(this.#due);
    this.#due = undefined;
    if (this.#notLogged.size === 0) return;
    const notLogged = Object.fromEntries(this.#notLogged);
    this.#notLogged.clear();
    this.tell(notLogged);
  }
}
