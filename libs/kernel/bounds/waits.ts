/** How long calls wait, and how many of them. docs/bounds.md lists these and all other waits. */

/** Milliseconds. */
export const PATIENCE = {
  /** A call, for queues, views and the log in all (ruling A8). */
  call: 5_000,
  /** A read, for the position of its caller's writes; less if the call has less left. */
  ownWrites: 2_000,
  /** A call with `Holdfast-Position`, for the log's head. */
  logHead: 2_000,
  /** A repeat, for a first request that broke off: its record is free after this time without a renewal. */
  brokenOff: 30_000,
  /** A stop, for running calls. */
  stop: 10_000,
} as const;

/** Commands that wait for one stream. */
export const MOST_WAITING = 4_000;

/** How often a line of an import waits for a busy service, and the milliseconds of each wait. */
export const BUSY_LINE = { times: 100, pause: 100 } as const;
