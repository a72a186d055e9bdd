import { AsyncLocalStorage } from 'node:async_hooks';
import type { Time } from './ports/time.js';

/** So long a caller waits in all, in milliseconds: for queues, views and the log (ruling A8). */
export const CALL_PATIENCE = 5_000;

interface CallTime {
  readonly time: Time;
  /** By its monotonic clock; undefined as long as nothing was waited for. */
  until: number | undefined;
  readonly patience: number;
}

const calls = new AsyncLocalStorage<CallTime | undefined>();

/**
 * Serves a call: whatever it waits for one after another, it waits for no longer than this in all, from where it first
 * waits. Only who waits looks at it, never what is done for several callers at once.
 */
export function withCallDeadline<T>(time: Time, serve: () => T, patience = CALL_PATIENCE): T {
  return calls.run({ time, until: undefined, patience }, serve);
}

/** Does what nobody waits for, whoever’s call has begun it: each wait of it has its own bound. */
export function withoutCallDeadline<T>(work: () => T): T {
  return calls.run(undefined, work);
}

/** Milliseconds, `most` of them, that may be waited yet for the present call; `most` where nobody called. */
export function timeLeft(most: number): number {
  const call = calls.getStore();
  if (call === undefined) return most;
  const now = call.time.monotonic();
  call.until ??= now + call.patience;
  return Math.min(most, call.until - now);
}

/** Does what has a bound of its own, such as a payment gateway’s answer: the time of the present call goes on after it. */
export async function outsideCallDeadline<T>(work: () => Promise<T>): Promise<T> {
  const call = calls.getStore();
  if (call === undefined) return work();
  const since = call.time.monotonic();
  try {
    return await work();
  } finally {
    if (call.until !== undefined) call.until += call.time.monotonic() - since;
  }
}
