import { thisMachine } from '#adapters/machine';
import { type Append, AppendOutcomeUnknown, writerOf } from '#eventsourcing';
import { reasonOf } from './reason.js';
import { type AppendAnswer, type Server, StreamDeleted } from './server.js';
import { FairSemaphore } from './fair-semaphore.js';

/**
 * After this time, in milliseconds, an append's outcome counts as unknown. It is above the server's deadline of 10 s, which
 * the server checks every 2 s.
 */
const ANSWER_WITHIN = 15_000;
/** The most appends under way; the server takes no more at a time. */
const ON_THEIR_WAY = 32;

/**
 * Sends single appends, and never two copies of one at the same time, because EventStoreDB drops the second without an
 * answer. So a repeat first waits for the promise of the one before, which the client settles when the connection drops.
 */
export class Appender {
  /** By the id of their first event. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #slots = new FairSemaphore(ON_THEIR_WAY);

  constructor(
    private readonly server: Pick<Server, 'append'>,
    private readonly answerWithin = ANSWER_WITHIN,
    private readonly machine = thisMachine,
  ) {}

  /**
   * @param list of the append: writers take turns, and so do the lists of each, however long another one is
   * @throws AppendOutcomeUnknown | RangeError | StreamDeleted
   */
  async append(append: Append, list: object = append): Promise<AppendAnswer> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const { time } = this.machine;
    const timer = time.after(this.answerWithin, () =>
      reject(new AppendOutcomeUnknown(`no answer to an append to ${append.stream} within ${this.answerWithin} ms`)),
    );
    try {
      const key = append.events[0]?.id ?? '';
      for (let before; (before = this.#underWay.get(key)) !== undefined;) await Promise.race([before, late]);
      return await Promise.race([this.#send(key, append, list), late]);
    } finally {
      time.cancel(timer);
      late.catch(() => undefined);
    }
  }

  async #send(key: string, append: Append, list: object): Promise<AppendAnswer> {
    const sent = this.#inTurn(append, list);
    this.#underWay.set(
      key,
      sent.then(
        () => this.#underWay.delete(key),
        () => this.#underWay.delete(key),
      ),
    );
    try {
      return await sent;
    } catch (error) {
      if (error instanceof RangeError || error instanceof StreamDeleted) throw error;
      // After any other error the server may have written the events.
      throw new AppendOutcomeUnknown(`an append to ${append.stream} was not answered: ${reasonOf(error)}`, {
        cause: error,
      });
    }
  }

  async #inTurn(append: Append, list: object): Promise<AppendAnswer> {
    const free = await this.#slots.take(writerOf([append]), list);
    const { stream, expected, events } = append;
    try {
      return await this.server.append(stream, expected, events);
    } finally {
      free();
    }
  }
}
