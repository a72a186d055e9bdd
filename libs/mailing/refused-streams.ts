import { Unavailable } from '#eventsourcing';

/**
 * Told of the streams without which a sender could not send some of its mails.
 * @param streams the first few of them
 * @param count how many there are
 */
export type OnRefused = (streams: readonly string[], count: number) => void;

/** So many are named: a log that lost much may have any number of them. */
const NAMED = 10;

/**
 * The streams that the guard of the log refuses, as one run of a sender finds them: damaged ones, and those that somebody cut. A
 * mail that needs such a stream waits until an operator has looked at it; all other mails are sent.
 */
export class RefusedStreams {
  readonly #refused = new Set<string>();

  constructor(private readonly onRefused: OnRefused) {}

  /**
   * Waits for one of many mails.
   * @returns false if it needs a refused stream
   * @throws what else it throws
   */
  async pass(delivered: Promise<void>): Promise<boolean> {
    try {
      await delivered;
      return true;
    } catch (error) {
      if (!(error instanceof Unavailable) || error.stream === undefined) throw error;
      this.#refused.add(error.stream);
      return false;
    }
  }

  /** Ends a run that has sent everything else. @throws Error if mails are left: their next try comes after a growing pause */
  end(): void {
    if (this.#refused.size === 0) return;
    const named = [...this.#refused].slice(0, NAMED);
    const more = this.#refused.size - named.length;
    this.onRefused(named, this.#refused.size);
    throw new Error(
      `mails wait for streams that are refused: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    );
  }
}
