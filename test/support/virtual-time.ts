import { setImmediate as turn } from 'node:timers/promises';
import { thisMachine } from '#adapters/machine';
import type { Time, Timer } from '#eventsourcing';

interface Due extends Timer {
  at: number;
  readonly work: () => void;
  /** Milliseconds between two calls; undefined for a single call. */
  readonly every: number | undefined;
}

/**
 * A clock that moves only when a test lets time pass, so that no result depends on how fast a machine is.
 * The end of a turn of the event loop (`soon`, `turn`) is that of the real one.
 */
export class VirtualTime implements Time {
  readonly soon = thisMachine.time.soon;
  readonly turn = thisMachine.time.turn;
  #now = 0;
  #leapt = 1_700_000_000_000;
  readonly #due = new Set<Due>();

  wall(): number {
    return this.#now + this.#leapt;
  }

  monotonic(): number {
    return this.#now;
  }

  after(milliseconds: number, work: () => void): Timer {
    return this.#plan(milliseconds, work, undefined);
  }

  every(milliseconds: number, work: () => void): Timer {
    return this.#plan(milliseconds, work, milliseconds);
  }

  cancel(timer: Timer | undefined): void {
    this.#due.delete(timer as Due);
  }

  pause(milliseconds: number, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const timer = this.after(milliseconds, resolve);
      signal?.addEventListener('abort', () => {
        this.cancel(timer);
        resolve();
      });
    });
  }

  timeout(milliseconds: number): AbortSignal {
    const late = new AbortController();
    this.after(milliseconds, () => {
      late.abort(new DOMException('it took too long', 'TimeoutError'));
    });
    return late.signal;
  }

  /** Sets the wall clock ahead, or back, by this many milliseconds; no timer notices. */
  leap(milliseconds: number): void {
    this.#leapt += milliseconds;
  }

  /** Lets this many milliseconds pass, with everything that is due meanwhile and what follows from it. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      // What has just begun may set a timer in one of its next turns.
      for (let turns = 0; turns < 3; turns += 1) await turn();
      const [next] = [...this.#due].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#now = next.at;
      if (next.every === undefined) this.#due.delete(next);
      else next.at += next.every;
      next.work();
    }
    this.#now = end;
  }

  #plan(milliseconds: number, work: () => void, every: number | undefined): Timer {
    const due: Due = { at: this.#now + milliseconds, work, every, unref: () => due };
    this.#due.add(due);
    return due;
  }
}
