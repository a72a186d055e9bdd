import type { Clock, WorkTimers } from '#eventsourcing';
import type { Instant } from '#kernel';

/** No sleep is longer, in milliseconds: clocks are set, and laptops wake up. */
const LONGEST_SLEEP = 60_000;
/** A list whose call failed is called again after this time, in milliseconds. */
const PAUSE = 1_000;

interface List {
  /** The earliest wish since the last call began. */
  due: Instant;
  /** Not before this instant, after a failed call. */
  notBefore: Instant;
  call: Promise<void> | undefined;
}

export interface InProcessTimersOptions {
  /** A handler's rejection; the list is called again after a pause. */
  readonly onError: (list: string, error: unknown) => void;
  /** False: nothing ever fires (timers switched off, which costs punctuality and nothing else). */
  readonly enabled?: boolean;
}

/**
 * Timers of one process. Of each list only the earliest wish is kept, however many rows it has, and the handler is called
 * without a key: it looks for whatever is due, and then asks for the time of the next open row.
 */
export class InProcessTimers implements WorkTimers {
  readonly #lists = new Map<string, List>();
  readonly #onError: InProcessTimersOptions['onError'];
  #handler: ((list: string, key?: string) => Promise<void>) | undefined;
  #open: boolean;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer looks next, by the service's clock. */
  #looksAt: Instant = Infinity;

  constructor(
    private readonly clock: Clock,
    options: InProcessTimersOptions,
  ) {
    this.#onError = options.onError;
    this.#open = options.enabled ?? true;
  }

  schedule(name: string, _key: string, dueAt: Instant): void {
    if (!this.#open) return;
    let list = this.#lists.get(name);
    if (list === undefined) {
      list = { due: Infinity, notBefore: 0, call: undefined };
      this.#lists.set(name, list);
    }
    if (dueAt >= list.due) return;
    list.due = dueAt;
    if (list.call === undefined) this.#lookAt(Math.max(dueAt, list.notBefore));
  }

  start(handler: (list: string, key?: string) => Promise<void>): void {
    this.#handler = handler;
    this.clockMoved();
  }

  clockMoved(): void {
    if (this.#open) this.#lookAt(-Infinity);
  }

  async close(): Promise<void> {
    this.#open = false;
    clearTimeout(this.#timer);
    await Promise.all([...this.#lists.values()].map(({ call }) => call ?? Promise.resolve()));
  }

  #lookAt(at: Instant): void {
    if (!this.#open || this.#handler === undefined || at >= this.#looksAt) return;
    this.#looksAt = at;
    clearTimeout(this.#timer);
    const sleep = Math.min(Math.max(at - this.clock.now(), 0), LONGEST_SLEEP);
    this.#timer = setTimeout(() => this.#look(), sleep).unref();
  }

  #look(): void {
    this.#looksAt = Infinity;
    const now = this.clock.now();
    for (const [name, list] of this.#lists) {
      if (list.call !== undefined) continue;
      const at = Math.max(list.due, list.notBefore);
      if (at <= now) this.#call(name, list);
      else if (at < Infinity) this.#lookAt(at);
    }
  }

  #call(name: string, list: List): void {
    list.due = Infinity;
    list.call = this.#run(name, list).finally(() => {
      list.call = undefined;
      this.#lookAt(Math.max(list.due, list.notBefore));
    });
  }

  async #run(name: string, list: List): Promise<void> {
    try {
      await this.#handler?.(name);
    } catch (error) {
      const now = this.clock.now();
      list.notBefore = now + PAUSE;
      list.due = Math.min(list.due, now);
      this.#onError(name, error);
    }
  }
}
