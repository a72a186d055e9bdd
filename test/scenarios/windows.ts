import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { copyOf } from '../support/data-folder.js';
import type { RunningService } from '../support/running-service.js';

/** A data folder as a crash after this append leaves it. */
export interface Crashed {
  readonly stoppedAfter: number;
  readonly left: string;
}

/** Milliseconds between two looks whether the service has come to a window. */
const LOOK_EVERY = 3;
/** The files through which a test holds the writer of a log (see libs/adapters/embedded/log/failpoint.ts). */
const [HOLD, HELD] = ['events.db-hold', 'events.db-held'];

/**
 * Copies the data folder of a running service after these of the appends that `run` causes. Each time the writer of the log
 * waits, the whole process is stopped, and goes on once the copy is made.
 */
export async function crashesDuring<T>(
  service: RunningService,
  appends: readonly number[],
  run: () => Promise<T>,
): Promise<{ readonly crashed: readonly Crashed[]; readonly result: T }> {
  const ended = new AbortController();
  writeFileSync(join(service.dataDir, HOLD), appends.join());
  const copying = copiesAfter(service, appends, ended.signal);
  // If the run fails, its error counts.
  copying.catch(() => undefined);
  try {
    const result = await run();
    ended.abort();
    return { crashed: await copying, result };
  } finally {
    ended.abort();
    for (const name of [HOLD, HELD]) rmSync(join(service.dataDir, name), { force: true });
  }
}

async function copiesAfter(
  { child, dataDir }: RunningService,
  appends: readonly number[],
  ended: AbortSignal,
): Promise<readonly Crashed[]> {
  const { pid } = child;
  if (pid === undefined) throw new Error('the service has no process');
  const crashed: Crashed[] = [];
  for (const stoppedAfter of appends) {
    while (!existsSync(join(dataDir, HELD))) {
      if (ended.aborted) return crashed;
      await pause(LOOK_EVERY);
    }
    child.kill('SIGSTOP');
    while (!isStopped(pid)) await pause(1);
    const left = copyOf(dataDir);
    for (const name of [HOLD, HELD]) rmSync(join(left, name));
    crashed.push({ stoppedAfter, left });
    rmSync(join(dataDir, HELD));
    child.kill('SIGCONT');
  }
  return crashed;
}

/** Whether every thread of the process is stopped, so that nothing writes. */
function isStopped(pid: number): boolean {
  if (process.platform !== 'linux') return execFileSync('ps', ['-o', 'state=', '-p', String(pid)]).includes('T');
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).every((task) => /\) T /.test(readFileSync(join(tasks, task, 'stat'), 'utf8')));
}
