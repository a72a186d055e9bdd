import type { Instant } from '#kernel';

/** A timer that was set. */
export interface Timer {
  /** Lets the process end before the timer runs. */
  unref(): this;
}

/**
 * The machine's time, and timers. Nothing else in the product reads the time or waits (a lint rule enforces that), so that a
 * process can live in another time than the machine's. Constructors receive it. Deciders see only `Clock`.
 */
export interface Time {
  /** The machine's clock. It may be wrong, leap, and be set back. Use it for instants that others see. */
  wall(): Instant;
  /** Milliseconds, with a fraction, since the process began. They never go back. Use them for durations and deadlines. */
  monotonic(): number;
  /** Calls once after this many milliseconds. */
  after(milliseconds: number, work: () => void): Timer;
  /** Calls repeatedly, each time after this many milliseconds. */
  every(milliseconds: number, work: () => void): Timer;
  /** Cancels a timer. It accepts undefined and a timer that has run. */
  cancel(timer: Timer | undefined): void;
  /**
   * Resolves after this many milliseconds, or when the signal is aborted; it never rejects.
   * @param options `ref: false` lets the process end meanwhile
   */
  pause(milliseconds: number, options?: { readonly signal?: AbortSignal; readonly ref?: boolean }): Promise<void>;
  /** A signal that aborts with a `TimeoutError` after this many milliseconds. It does not keep the process alive. */
  timeout(milliseconds: number): AbortSignal;
  /** Calls once at the end of this turn of the event loop. */
  soon(work: () => void): void;
  /** Resolves at the end of this turn of the event loop, when all other work has had its turn. */
  turn(): Promise<void>;
}

/** Injects it: an interface is gone when the program runs. */
export const Time = Symbol('Time');
