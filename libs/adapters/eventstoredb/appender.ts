import { thisMachine } from '#adapters/machine';
import {
  type Append,
  AppendNotTaken,
  AppendOutcomeUnknown,
  type AppendProgress,
  AppendWithdrawn,
  writerOf,
} from '#eventsourcing';
import { reasonOf } from './reason.js';
import { type AppendAnswer, NotTaken, type Server, ServerRefusal, StreamDeleted } from './server.js';
import { FairSemaphore, type Slots } from './fair-semaphore.js';

/**
 * After this time, in milliseconds, the outcome of an append that was sent counts as unknown. It is above the server's time limit
 * of 10 s, which the server checks every 2 s.
 */
const ANSWER_WITHIN = 15_000;
/**
 * The most appends under way; the server takes no more at a time. Those of long lists are fewer, because each other append waits
 * behind them at the server, and their answers before its own in this process.
 */
const ON_THEIR_WAY: Slots = { all: 32, long: 16, longBesideShort: 2 };

type Turn = Pick<AppendProgress, 'isWanted' | 'begins'>;

/** A list of appends whose order the appender keeps apart from others. */
export interface AppendList {
  /** Whether it is so long that others pass it. */
  readonly isLong: boolean;
}

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
   * @param progress asked when its turn has come, and notified when it is sent
   * @throws AppendOutcomeUnknown | AppendWithdrawn | ServerRefusal | StreamDeleted
   */
  async append(append: Append, list: AppendList = SHORT, progress: Turn = ALWAYS): Promise<AppendAnswer> {
    const key = append.events[0]?.id ?? '';
    for (let before; (before = this.#underWay.get(key)) !== undefined;) await this.#within(append, before);
    const begun = Promise.withResolvers<undefined>();
    const sent = this.#inTurn(append, list, progress, () => begun.resolve(undefined));
    this.#underWay.set(
      key,
      sent.then(
        () => this.#underWay.delete(key),
        () => this.#underWay.delete(key),
      ),
    );
    // It waits for its turn as long as others are answered or given up before it.
    await Promise.race([begun.promise, sent]);
    return this.#within(append, sent);
  }

  async #inTurn(append: Append, list: AppendList, progress: Turn, begun: () => void): Promise<AppendAnswer> {
    const { stream, expected, events } = append;
    const free = await this.#slots.take(writerOf([append]), list, list.isLong);
    try {
      if (!progress.isWanted()) throw new AppendWithdrawn(`nobody wants an append to ${stream} any more`);
      progress.begins();
      begun();
      return await this.server.append(stream, expected, events);
    } catch (error) {
      if (error instanceof AppendWithdrawn || error instanceof ServerRefusal || error instanceof StreamDeleted)
        throw error;
      const words = `an append to ${stream} was not answered: ${reasonOf(error)}`;
      // After any other error the server may have written the events.
      throw new (error instanceof NotTaken ? AppendNotTaken : AppendOutcomeUnknown)(words, { cause: error });
    } finally {
      free();
    }
  }

  /** What comes within the time for an answer. */
  async #within<T>({ stream }: Append, answer: Promise<T>): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const { time } = this.machine;
    const timer = time.after(this.answerWithin, () =>
      reject(new AppendOutcomeUnknown(`no answer to an append to ${stream} within ${this.answerWithin} ms`)),
    );
    try {
      return await Promise.race([answer, late]);
    } finally {
      time.cancel(timer);
      late.catch(() => undefined);
    }
  }
}

const SHORT: AppendList = { isLong: false };
const ALWAYS: Turn = { isWanted: () => true, begins: () => undefined };
