import { AsyncLocalStorage } from 'node:async_hooks';
import { PATIENCE } from '#kernel/bounds';
import type { Time } from '../ports/time.js';
import type { Span } from '../ports/tracer.js';
import type { Shown } from './shown.js';

/** How long a caller waits in all for queues, views and the log, in milliseconds (ruling A8). */
export const CALL_PATIENCE: number = PATIENCE.call;
/** The same for a call that has begun to write what takes long: many events, one after another. */
export const CALL_BEGUN: number = PATIENCE.begun;

/** Who waits for the answer of a call. */
export interface WaitingCaller {
  /** Callers with the same name share what is there for one of them. */
  readonly name: string;
  /** Whether they have left: then nobody reads the answer. */
  readonly hasLeft: boolean;
}

/** The time of a call. */
export interface CallTime {
  readonly time: Time;
  /** By the monotonic clock; undefined before the first wait. */
  until: number | undefined;
  readonly patience: number;
  readonly caller: WaitingCaller | undefined;
  /** What its answer shows of the log; undefined if nobody asks that. */
  readonly shown: Shown | undefined;
  /** The span of the call; undefined if nobody traces it. */
  readonly span: Span | undefined;
  /** Whether it has the time of a call that has begun to write what takes long. */
  hasBegun: boolean;
}

const calls = new AsyncLocalStorage<CallTime | undefined>();

/**
 * Serves a call. All its waits together end `patience` milliseconds after the first one began. Only code that waits for one
 * caller uses this deadline, never work for several callers.
 */
export function withCallDeadline<T>(
  time: Time,
  serve: () => T,
  patience = CALL_PATIENCE,
  caller?: WaitingCaller,
  shown?: Shown,
  span?: Span,
): T {
  return calls.run({ time, until: undefined, patience, caller, shown, span, hasBegun: false }, serve);
}

/** The time of the present call; undefined outside a call of the service. */
export function presentCall(): CallTime | undefined {
  return calls.getStore();
}

/**
 * A call, the present one if none is named, has begun to write what takes long: all its waits together now end `CALL_BEGUN`
 * milliseconds after its first one began.
 */
export function hasBegun(call: CallTime | undefined = calls.getStore()): void {
  if (call?.until === undefined || call.hasBegun) return;
  call.hasBegun = true;
  call.until += Math.max(0, CALL_BEGUN - call.patience);
}

/** Who waits for the present call; undefined outside a call of the service. */
export function presentCaller(): WaitingCaller | undefined {
  return calls.getStore()?.caller;
}

/** Does work that nobody waits for, whichever call began it: each of its waits has its own bound. */
export function withoutCallDeadline<T>(work: () => T): T {
  return calls.run(undefined, work);
}

/** The milliseconds that the present call may still wait, at most `most`; `most` outside a call. */
export function timeLeft(most: number): number {
  const call = calls.getStore();
  if (call === undefined) return most;
  const now = call.time.monotonic();
  call.until ??= now + call.patience;
  return Math.min(most, call.until - now);
}

/**
 * Does work that has its own bound, such as a call to the payment gateway. The call's deadline moves by the time that the
 * work takes.
 */
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
