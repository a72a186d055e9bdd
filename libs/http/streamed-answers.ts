import type { FastifyReply } from 'fastify';
import { type Time, Unavailable } from '#eventsourcing';
import { LOG_READS } from '#kernel/bounds';
import { noteBreak } from './request-log.js';

/** Sends long answers piece by piece: a few at a time, because each keeps reading until its caller has all of it. */
export class StreamedAnswers {
  #running = 0;

  /** @param what they read, in words: `the log` */
  constructor(
    private readonly what: string,
    private readonly time: Pick<Time, 'after' | 'cancel'>,
  ) {}

  /**
   * Takes one of the places until the answer has ended.
   * @returns aborts then
   * @throws Unavailable if all are taken
   */
  begin({ raw }: FastifyReply): AbortSignal {
    if (this.#running >= LOG_READS.atOnce) throw new Unavailable(`${LOG_READS.atOnce} others read ${this.what} now`, 5);
    this.#running += 1;
    const left = new AbortController();
    const end = (): void => {
      this.#running -= 1;
      left.abort();
    };
    // Nothing closes an answer whose caller has left already.
    if (raw.destroyed) end();
    else raw.once('close', end);
    return left.signal;
  }

  /** The same pieces; breaks the answer off if nobody takes them, because others wait for the place. A failure is logged. */
  async *whileTaken(pieces: AsyncIterable<string>, { raw, request }: FastifyReply): AsyncGenerator<string> {
    try {
      for await (const piece of pieces) {
        const stalled = this.time.after(LOG_READS.patience, () => raw.destroy());
        try {
          yield piece;
        } finally {
          this.time.cancel(stalled);
        }
      }
    } catch (error) {
      noteBreak(request, error);
      throw error;
    }
  }
}
