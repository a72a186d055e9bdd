import { TickFailed, withAllThatFollows } from './all-that-follows.js';

/** So much happens in one turn of the event loop. */
const MOST_AT_A_TIME = 2_000;
/** So many cancelled ones are no burden. */
const FEW = 500;

const NOTHING = (): void => undefined;

/** Whoever waits for something: what happens to a dead one is lost, and what happens to a paused one comes when it goes on. */
export interface Owner {
  readonly dead: boolean;
  /** It does nothing before this time, in milliseconds of the world. */
  readonly pausedUntil: number;
}

/** Something that will happen. */
export interface Planned {
  at: number;
  order: number;
  readonly owner: Owner | undefined;
  run: () => void;
  cancelled: boolean;
}

/**
 * The virtual time of a simulated world. It goes from one planned happening to the next, however long the pause between them.
 * One happening runs at a time, with everything that follows from it without waiting; so the order depends on the plan alone.
 */
export class Scheduler {
  /** Milliseconds since the world began, with a fraction. */
  now = 0;
  /** How many have happened. */
  steps = 0;
  readonly #heap: Planned[] = [];
  #orders = 0;
  /** How many in the heap are cancelled. */
  #cancelled = 0;
  /** What the real machine still does. */
  readonly #real = new Set<Promise<unknown>>();

  /** Plans something after this many milliseconds; the same instant keeps the order of the calls. */
  after(milliseconds: number, run: () => void, owner?: Owner): Planned {
    return this.#plan(this.now + Math.max(0, milliseconds), run, owner);
  }

  cancel(planned: Planned | undefined): void {
    if (planned === undefined || planned.cancelled) return;
    planned.cancelled = true;
    // Most deadlines are cancelled long before their time: what they would do is not kept until then.
    planned.run = NOTHING;
    this.#cancelled += 1;
    if (this.#cancelled > FEW && this.#cancelled > this.#heap.length / 2) this.#leaveOutCancelled();
  }

  /** Resolves after this many milliseconds, for what is outside all processes. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(milliseconds, resolve);
    });
  }

  /** The time of the next happening; undefined if nothing will ever happen again. */
  get next(): number | undefined {
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      if (!first.cancelled && first.owner?.dead !== true) return first.at;
      this.#drop();
    }
    return undefined;
  }

  /** Lets nothing happen until this is done: it waits for the real machine, and nothing of the world. */
  standStill<T>(work: Promise<T>): Promise<T> {
    this.#real.add(work);
    return work.finally(() => this.#real.delete(work));
  }

  /**
   * Lets things happen, one after another, each with everything that follows from it at once.
   * @param goesOn asked before each
   * @returns false if nothing was planned any more
   * @throws what one of them or `goesOn` throws; what a tick throws is an uncaught exception too, as everywhere in Node
   */
  happen(goesOn: () => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const some = (): void => {
        try {
          const ended = this.#some(goesOn);
          if (ended !== undefined) resolve(ended);
          else void Promise.allSettled(this.#real).then(() => setImmediate(some));
        } catch (error) {
          const thrown = error instanceof TickFailed ? error.cause : error;
          reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
          if (error instanceof TickFailed) throw thrown;
        }
      };
      // Not from a promise: everything that follows from a happening could not run inside it.
      setImmediate(some);
    });
  }

  /** Lets the next thing happen, without what follows from it. @returns false if nothing is planned */
  one(): boolean {
    const planned = this.#takeNext();
    if (planned === undefined) return false;
    const { run } = planned;
    planned.cancelled = true;
    planned.run = NOTHING;
    this.steps += 1;
    run();
    return true;
  }

  /** Lets some things happen before the event loop turns, because signals and messages arrive there. */
  #some(goesOn: () => boolean): boolean | undefined {
    return withAllThatFollows((follow) => {
      follow();
      for (let count = 0; count < MOST_AT_A_TIME && this.#real.size === 0; count += 1) {
        if (!goesOn()) return true;
        if (!this.one()) return false;
        follow();
      }
      return undefined;
    });
  }

  /** The next happening, at whose time it is now. */
  #takeNext(): Planned | undefined {
    for (;;) {
      const planned = this.#drop();
      if (planned === undefined) return undefined;
      const { owner } = planned;
      if (planned.cancelled || owner?.dead === true) continue;
      this.now = Math.max(this.now, planned.at);
      if (owner === undefined || owner.pausedUntil <= this.now) return planned;
      planned.at = owner.pausedUntil;
      planned.order = this.#orders += 1;
      this.#push(planned);
    }
  }

  #plan(at: number, run: () => void, owner: Owner | undefined): Planned {
    const planned: Planned = { at, order: (this.#orders += 1), owner, run, cancelled: false };
    this.#push(planned);
    return planned;
  }

  #leaveOutCancelled(): void {
    const left = this.#heap.filter(({ cancelled }) => !cancelled);
    this.#heap.length = 0;
    this.#cancelled = 0;
    for (const planned of left) this.#push(planned);
  }

  /** Takes the first one out of the heap, cancelled or not. */
  #drop(): Planned | undefined {
    const planned = this.#pop();
    if (planned?.cancelled === true) this.#cancelled -= 1;
    return planned;
  }

  #push(planned: Planned): void {
    const heap = this.#heap;
    let index = heap.push(planned) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(planned, heap[parent])) break;
      heap[index] = heap[parent] as Planned;
      index = parent;
    }
    heap[index] = planned;
  }

  #pop(): Planned | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Planned, heap[child])) child += 1;
      if (!isBefore(heap[child] as Planned, last)) break;
      heap[index] = heap[child] as Planned;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(one: Planned, other: Planned | undefined): boolean {
  return other !== undefined && (one.at < other.at || (one.at === other.at && one.order < other.order));
}
