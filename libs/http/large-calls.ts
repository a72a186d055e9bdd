import type { ServerResponse } from 'node:http';
import { type Time, type Timer, Unavailable } from '#eventsourcing';
import { LARGE_CALLS, PATIENCE } from '#kernel/bounds';

/** The large calls of one partner: those that run, and those that wait for their turn. */
interface Calls {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * Runs few calls with large bodies of one partner at a time (ruling I16): all that have come together would be parsed, encrypted and
 * written one after another in the same turn of the event loop, and every other call would wait for all of them.
 */
export class LargeCalls {
  /** By partner; only those who have such a call. */
  readonly #partners = new Map<string, Calls>();

  constructor(private readonly time: Pick<Time, 'after' | 'cancel'>) {}

  /**
   * Waits for a call's turn, which lasts until its answer is sent or its connection is closed.
   * @throws Unavailable if too many wait, or if it has waited too long
   */
  async turn(partner: string, answer: Pick<ServerResponse, 'once' | 'destroyed'>): Promise<void> {
    const calls = this.#partners.get(partner) ?? { running: 0, waiting: new Set() };
    this.#partners.set(partner, calls);
    if (calls.running >= LARGE_CALLS.atOnce) await this.#wait(calls, answer);
    else calls.running += 1;
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      this.#next(partner, calls);
    };
    if (answer.destroyed) end();
    else answer.once('finish', end).once('close', end);
  }

  /** Waits until another call hands its place over. */
  #wait({ waiting }: Calls, answer: Pick<ServerResponse, 'once'>): Promise<void> {
    if (waiting.size >= LARGE_CALLS.waiting) throw new Unavailable('too many large calls of yours wait');
    return new Promise((resolve, reject) => {
      const leave = (words: string): void => {
        this.time.cancel(timer);
        if (waiting.delete(begin)) reject(new Unavailable(words));
      };
      const begin = (): void => {
        this.time.cancel(timer);
        resolve();
      };
      const timer: Timer = this.time.after(PATIENCE.call, () => leave('other large calls of yours took too long'));
      answer.once('close', () => leave('its caller has left'));
      waiting.add(begin);
    });
  }

  #next(partner: string, calls: Calls): void {
    const [next] = calls.waiting;
    if (next !== undefined) {
      calls.waiting.delete(next);
      next();
      return;
    }
    calls.running -= 1;
    if (calls.running === 0) this.#partners.delete(partner);
  }
}
