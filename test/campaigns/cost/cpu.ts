import { readdirSync, readFileSync } from 'node:fs';

/** Whether the system reports the CPU time of a process in fine steps. */
export const tellsCpu = process.platform === 'linux';

/** Milliseconds of CPU that all threads of a process have used. */
export function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) => Number(schedstatOf(pid, thread).split(' ', 1)[0]));
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** A thread may end while it is read. */
function schedstatOf(pid: number, thread: string): string {
  try {
    return readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
  } catch {
    return '0';
  }
}
