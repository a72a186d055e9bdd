import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const SYNCS = 50;
const BLOCK = Buffer.alloc(4096, 1);
/** Linux counts a process's time in hundredths of a second, whatever the machine. */
const TICK_MICROSECONDS = 10_000;
const IDLE_LOOKS = 3;
const LOOK_EVERY = 100;
const IDLE_WITHIN = 10_000;

/** The median; NaN for an empty list. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return ((low ?? NaN) + (high ?? NaN)) / 2;
}

/** Milliseconds to append 4 KiB to a file in this folder and sync it to disk: the median of 50. */
export function syncTime(folder: string): number {
  const inside = mkdtempSync(join(folder, 'sync-'));
  const file = openSync(join(inside, 'block'), 'w');
  const times: number[] = [];
  try {
    for (let count = 0; count < SYNCS; count += 1) {
      const began = performance.now();
      writeSync(file, BLOCK);
      fdatasyncSync(file);
      times.push(performance.now() - began);
    }
  } finally {
    closeSync(file);
    rmSync(inside, { recursive: true });
  }
  return median(times);
}

/** Microseconds of processor time that a process has used, all its threads together; undefined where there is no /proc. */
export function cpuTime(pid: number): number | undefined {
  try {
    // The name, in brackets, may contain anything; utime and stime are the 12th and 13th field after it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS;
  } catch {
    return undefined;
  }
}

/** Waits until a process is idle, so that its work is counted and does not disturb the next turn. */
export async function untilIdle(pid: number): Promise<void> {
  const deadline = performance.now() + IDLE_WITHIN;
  let last = cpuTime(pid);
  for (let idle = 0; idle < IDLE_LOOKS && performance.now() < deadline;) {
    await pause(LOOK_EVERY);
    const now = cpuTime(pid);
    idle = now === last ? idle + 1 : 0;
    last = now;
  }
}
