import type { Position } from '#kernel';

/**
 * Numbers our events from 1 on, in the order of the log (ruling H6.1). Positions belong to an engine; a number stays with its event
 * when the log moves to another engine.
 */
export interface Numbers {
  /**
   * How many of our events the log has up to a position: the number of the last of them.
   * @returns undefined while this process does not know it (yet)
   */
  at(position: Position): number | undefined;

  /** As `at`, after a short wait for what this process is about to learn. It never throws. */
  soonAt(position: Position): Promise<number | undefined>;

  /**
   * The position of the event with a number; 0n for 0.
   * @returns undefined if the log has no such event (yet)
   * @throws Unavailable if the log cannot be asked, or its events are not counted yet
   */
  positionOf(number: number): Promise<Position | undefined>;
}

/** Injects it: an interface is gone when the program runs. */
export const Numbers = Symbol('Numbers');
