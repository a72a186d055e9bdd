import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import type { RunningService } from './running-service.js';

/** What a process uses after a forced collection, in bytes. */
export interface MemoryTold {
  readonly rss: number;
  readonly heapUsed: number;
  readonly arrayBuffers: number;
}

/** The environment of a service that tells its memory: it loads this module before its own. */
export function memoryToldIn(file: string): { readonly NODE_OPTIONS: string; readonly MEMORY_TOLD: string } {
  return {
    NODE_OPTIONS: `--import ${pathToFileURL(resolve('dist/test/support/memory-told.js')).href}`,
    MEMORY_TOLD: file,
  };
}

/** Forces a collection in the service's main thread, and says what the process then uses. */
export async function memoryOf(service: RunningService, file: string): Promise<MemoryTold> {
  service.child.kill('SIGUSR2');
  while (!existsSync(file)) await pause(20);
  const told = JSON.parse(readFileSync(file, 'utf8')) as MemoryTold;
  rmSync(file);
  return told;
}

const { MEMORY_TOLD: target } = process.env;
if (target !== undefined && isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    collect();
    collect();
    writeFileSync(`${target}.new`, JSON.stringify(process.memoryUsage()));
    renameSync(`${target}.new`, target);
  });
}
