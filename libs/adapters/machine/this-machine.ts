import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { EventLoopDelay, Machine, Randomness, Time } from '#eventsourcing/ports';

/** What is late is due now: of a negative time Node would warn. */
const atLeastNone = (milliseconds: number): number => Math.max(0, milliseconds);

const time: Time = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after: (milliseconds, work) => setTimeout(work, atLeastNone(milliseconds)),
  every: (milliseconds, work) => setInterval(work, milliseconds),
  cancel(timer) {
    clearTimeout(timer as NodeJS.Timeout | undefined);
  },
  async pause(milliseconds, options) {
    try {
      await pause(atLeastNone(milliseconds), undefined, options);
    } catch (error) {
      if (options?.signal?.aborted !== true) throw error;
    }
  },
  timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
  soon(work) {
    setImmediate(work);
  },
  turn: () => turn(),
};

const POOL = 4_096;
/** Larger requests bypass the pool: a key should not share a buffer with other values. */
const POOLED = 16;
let pool = Buffer.alloc(0);
let used = 0;

/**
 * The next bytes of a pool, because a call to the system costs more than all the work on a few bytes. No byte is used twice.
 */
function pooled(length: number): number {
  if (used + length > pool.length) {
    pool = randomFillSync(Buffer.allocUnsafeSlow(POOL));
    used = 0;
  }
  const from = used;
  used += length;
  return from;
}

const randomness: Randomness = {
  bytes(length) {
    if (length > POOLED) return randomBytes(length);
    const from = pooled(length);
    return pool.subarray(from, from + length);
  },
  hex(length) {
    if (length > POOLED) return randomBytes(length).toString('hex');
    const from = pooled(length);
    return pool.toString('hex', from, from + length);
  },
  uuid: () => randomUUID(),
  fraction: () => Math.random(),
};

/** Milliseconds between two looks at the delay: each wakes the process. */
const RESOLUTION = 20;
const NANOSECONDS = 1_000_000;

function measureEventLoop(): EventLoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
  histogram.enable();
  return {
    longest() {
      // Its pauses count, too.
      const longest = histogram.max / NANOSECONDS - RESOLUTION;
      histogram.reset();
      return Math.max(0, longest);
    },
    close: () => void histogram.disable(),
  };
}

/**
 * The real machine of this process. Programs pass it to what they construct; adapters of real servers and files use it if
 * they get no other one. This is the only file of the product that may ask the system for time and randomness.
 */
export const thisMachine: Machine = {
  time,
  randomness,
  memory: getHeapStatistics().heap_size_limit,
  measureEventLoop,
};
