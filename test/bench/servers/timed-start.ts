import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cpuTime, residentMemory } from '../measure/process-use.js';
import { DEFAULTS } from './holdfast.js';

/** What one start of the service took. */
export interface TimedStart {
  /** From the start of the process until it says that it is ready. */
  readonly seconds: number;
  /** Seconds of processor time until then. */
  readonly cpu: number;
  /** MB, after `rest`. */
  readonly memory: number;
}

/**
 * Starts the service on a data folder, and stops it again.
 * @param rest milliseconds to wait between ready and the end
 * @param profiles the folder for profiles of the start, one per thread; absent for none
 */
export async function timedStart(
  dataDir: string,
  logs: string,
  { rest = 0, profiles }: { readonly rest?: number; readonly profiles?: string | undefined } = {},
): Promise<TimedStart> {
  const log = openSync(join(logs, 'starts.log'), 'a');
  const flags = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [...flags, '--disable-warning=ExperimentalWarning', resolve('dist/apps/api/main.js')],
    {
      env: { PATH: process.env['PATH'], ...DEFAULTS, PORT: '0', DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', log],
    },
  );
  const ended = once(child, 'exit');
  const pid = child.pid ?? 0;
  const ready = new Promise<TimedStart>((resolvePromise) => {
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (!printed.includes(' ready at ')) return;
      const seconds = (performance.now() - began) / 1_000;
      resolvePromise({ seconds, cpu: (cpuTime(pid) ?? NaN) / 1_000_000, memory: NaN });
      printed = '';
    });
  });
  const taken = await Promise.race([
    ready,
    ended.then(() => {
      throw new Error(`the service did not start: see ${join(logs, 'starts.log')}`);
    }),
  ]);
  await pause(rest);
  const memory = residentMemory(pid) ?? NaN;
  child.kill('SIGTERM');
  await ended;
  return { ...taken, memory };
}
