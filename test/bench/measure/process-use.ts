import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServerProcess } from '../servers/server.js';

/** Linux counts a process's time in hundredths of a second, whatever the machine. */
const TICK_MICROSECONDS = 10_000;
const IDLE_LOOKS = 3;
const LOOK_EVERY = 50;
const IDLE_WITHIN = 10_000;
const KILOBYTE = 1_024;
const MEGABYTE = 1_000_000;

/** What a function of this file returns where there is no /proc: only Linux has it. */
function whereKnown<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Microseconds of processor time that a process has used, all its threads together, also those that have ended. */
export function cpuTime(pid: number): number | undefined {
  return whereKnown(() => {
    // The name, in brackets, may contain anything; utime and stime are the 12th and 13th field after it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS;
  });
}

/** Microseconds of processor time of each thread that runs now, by its name; threads of one name together. */
export function threadTimes(pid: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const thread of whereKnown(() => readdirSync(`/proc/${pid}/task`)) ?? []) {
    const of = `/proc/${pid}/task/${thread}`;
    // A thread may end meanwhile.
    const read = whereKnown(() => ({
      name: readFileSync(`${of}/comm`, 'utf8').trim(),
      nanoseconds: Number(readFileSync(`${of}/schedstat`, 'utf8').split(' ')[0]),
    }));
    if (read !== undefined) times.set(read.name, (times.get(read.name) ?? 0) + read.nanoseconds / 1_000);
  }
  return times;
}

/** Microseconds of processor time that these processes have used; undefined where the system does not report it. */
export function cpuTimeOf(processes: readonly ServerProcess[]): number | undefined {
  const times = processes.map(({ pid }) => cpuTime(pid));
  return times.includes(undefined) ? undefined : times.reduce((sum: number, time) => sum + (time ?? 0), 0);
}

/** The same of each of them, by its name. */
export function cpuTimes(processes: readonly ServerProcess[]): ReadonlyMap<string, number> {
  return new Map(processes.map(({ name, pid }) => [name, cpuTime(pid) ?? NaN]));
}

/** Microseconds of processor time of each of their threads, by its name and that of its process. */
export function threadTimesOf(processes: readonly ServerProcess[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { name, pid } of processes) {
    for (const [thread, time] of threadTimes(pid)) {
      const named = `${name} ${thread}`.trim();
      times.set(named, (times.get(named) ?? 0) + time);
    }
  }
  return times;
}

/** Their memory that is in RAM, in MB of a million bytes. */
export function memoryOf(processes: readonly ServerProcess[]): number {
  return processes.reduce((sum, { pid }) => sum + (residentMemory(pid) ?? NaN), 0);
}

/** The memory of a process that is in RAM, in MB of a million bytes. */
export function residentMemory(pid: number): number | undefined {
  return whereKnown(() => {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return (Number(kilobytes) * KILOBYTE) / MEGABYTE;
  });
}

/**
 * Waits until a server is idle, so that its work is counted and does not disturb the next turn.
 * @param time the processor time that it has used
 */
export async function untilIdle(time: () => number | undefined): Promise<void> {
  const deadline = performance.now() + IDLE_WITHIN;
  let last = time();
  for (let idle = 0; idle < IDLE_LOOKS && performance.now() < deadline;) {
    await pause(LOOK_EVERY);
    const now = time();
    idle = now === last ? idle + 1 : 0;
    last = now;
  }
}
