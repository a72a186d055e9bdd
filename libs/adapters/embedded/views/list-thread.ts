import { Worker } from 'node:worker_threads';
import type { View } from '#kernel';
import { LISTS_ASIDE, PATIENCE } from '#kernel/bounds';
import { type Time, Unavailable, type ViewDamage } from '#eventsourcing/ports';
import { presentCaller, timeLeft, TurnQueue, type WaitingCaller } from '#eventsourcing/scheduling';
import {
  errorOf,
  type ListAnswer,
  type ListRead,
  type ListRequest,
  type ListThreadData,
  shapeOf,
  valueOf,
} from './list-messages.js';

export type { ListRead } from './list-messages.js';

/**
 * After a long list, the thread rests as long as it has read, but at most so long: then the writer of a view finds a moment in
 * which nobody reads, and can begin its log again. In milliseconds.
 */
const LONG = 5;
const LONGEST_REST = 100;
/** Seconds until a repeat makes sense if too many lists wait. */
const RETRY_AFTER = 2;

/** The part of a thread that is used here. */
type Thread = Pick<Worker, 'on' | 'postMessage' | 'terminate' | 'unref'>;

interface Waiting {
  readonly request: ListRequest;
  readonly caller: WaitingCaller | undefined;
  readonly resolve: (found: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The calling side of the thread of lists, which reads what no index answers: SQLite cannot pause a sort, and everybody would
 * wait for it. Lists run one after another, and callers take turns (ruling I17). The thread starts with its first list. If it
 * breaks off, the list that it read is refused, and the next one starts another thread.
 */
export class ListThread {
  readonly #waiting = new TurnQueue<Waiting>(LISTS_ASIDE);
  #thread: Thread | undefined;
  #running: Waiting | undefined;
  #rests = false;
  #closed = false;

  constructor(
    private readonly folder: string,
    private readonly time: Pick<Time, 'after' | 'cancel'>,
    private readonly on: {
      /** An answer has come: rows may be newer than those that this thread sees. */
      readonly answered: () => void;
      readonly damaged: (damage: ViewDamage) => void;
    },
    private readonly start: (data: ListThreadData) => Thread = startThread,
  ) {}

  /**
   * What a read of a view finds, in a state that is at least as new as every state that was seen before.
   * @throws Unavailable if too many lists wait, if its call has waited too long, or if the thread breaks off
   */
  read(view: View, read: ListRead): Promise<unknown> {
    if (this.#closed) return Promise.reject(new Error('the views are closed'));
    const caller = presentCaller();
    const owner = caller?.name ?? '';
    return new Promise((resolve, reject) => {
      const over = (): void => this.time.cancel(timer);
      const waiting: Waiting = {
        request: { view: shapeOf(view), read },
        caller,
        resolve(found) {
          over();
          resolve(found);
        },
        reject(error) {
          over();
          reject(error);
        },
      };
      const timer = this.time.after(timeLeft(PATIENCE.call), () => {
        this.#waiting.remove(owner, waiting);
        reject(new Unavailable('the list has waited too long for others', RETRY_AFTER));
      });
      if (this.#waiting.add(owner, waiting)) this.#next();
      else waiting.reject(new Unavailable('too many lists wait', RETRY_AFTER));
    });
  }

  /** Waits until the thread has ended. Lists that wait are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    const open = [...this.#waiting.clear(), ...(this.#running === undefined ? [] : [this.#running])];
    for (const { reject } of open) reject(new Unavailable('the service stops'));
    await this.#thread?.terminate();
  }

  #next(): void {
    if (this.#running !== undefined || this.#rests || this.#closed) return;
    let next = this.#waiting.take();
    while (next?.caller?.hasLeft === true) {
      next.reject(new Unavailable('its caller has left'));
      next = this.#waiting.take();
    }
    if (next === undefined) return;
    this.#running = next;
    this.#thread ??= this.#started();
    this.#thread.postMessage(next.request);
  }

  #started(): Thread {
    const thread = this.start({ folder: this.folder });
    thread.unref();
    thread.on('message', (answer: ListAnswer) => this.#receive(answer));
    thread.on('error', (error) => this.#broken(thread, (error as Error).message));
    thread.on('exit', () => this.#broken(thread, 'it has ended'));
    return thread;
  }

  #receive(answer: ListAnswer): void {
    if ('damage' in answer) {
      this.on.damaged(answer.damage);
      return;
    }
    const { took } = answer;
    this.on.answered();
    if ('thrown' in answer) this.#running?.reject(errorOf(answer.thrown));
    else this.#running?.resolve(valueOf(answer.found));
    this.#running = undefined;
    if (took < LONG) this.#next();
    else this.#rest(Math.min(took, LONGEST_REST));
  }

  #rest(milliseconds: number): void {
    this.#rests = true;
    const rested = (): void => {
      this.#rests = false;
      this.#next();
    };
    this.time.after(milliseconds, rested).unref();
  }

  /** An error is followed by an exit. */
  #broken(thread: Thread, reason: string): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.#running?.reject(new Unavailable(`the thread of lists broke off: ${reason}`, RETRY_AFTER));
    this.#running = undefined;
    this.#next();
  }
}

function startThread(workerData: ListThreadData): Worker {
  return new Worker(new URL('./lists.thread.js', import.meta.url), { name: 'lists', workerData });
}
