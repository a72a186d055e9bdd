import type { Instant } from '#kernel';

/** A timer that was set. */
export interface Timer {
  /** The process may end though it has not run yet. */
  unref(): this;
}

/**
 * The time of the machine that a process runs on, and what waits for it. Nothing else in the product asks for the time or
 * waits (a lint rule holds it to that), so that a process can live in a time that is not the machine's: it is passed in,
 * each process has its own. What is decided sees `Clock` alone.
 */
export interface Time {
  /** The machine's clock: it may be wrong, leap, and be set back. Use it for instants that others see. */
  wall(): Instant;
  /** Milliseconds, with a fraction, since the process began. They never go back: use them for durations and deadlines. */
  monotonic(): number;
  /** Calls once, after so many milliseconds. */
  after(milliseconds: number, work: () => void): Timer;
  /** Calls again and again, each time after so many milliseconds. */
  every(milliseconds: number, work: () => void): Timer;
  /** Ends a timer. One that has run, and none, may be given. */
  cancel(timer: Timer | undefined): void;
  /**
   * Resolves after so many milliseconds, or as soon as the signal is aborted; it never rejects.
   * @param options `ref: false` lets the process end meanwhile
   */
  pause(milliseconds: number, options?: { readonly signal?: AbortSignal; readonly ref?: boolean }): Promise<void>;
  /** A signal that is aborted with a `TimeoutError` after so many milliseconds; it keeps no process alive. */
  timeout(milliseconds: number): AbortSignal;
  /** Calls once what arrives in this turn of the event loop is all there. */
  soon(work: () => void): void;
  /** Resolves then: everybody else has had a turn. */
  turn(): Promise<void>;
}
