import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunningService } from './running-service.js';

/** Milliseconds that a service may take to write its heap. */
const WITHIN = 60_000;

/** The environment of a service that writes its heap into a folder when it is told to. */
export function heapSnapshotsInto(folder: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}` };
}

/**
 * Every string of the heap of a service's main thread, after a garbage collection: what its code, its objects and Node's
 * refer to. Of a string of more than 1024 characters it has the first 1024.
 */
export async function stringsOnHeap(service: RunningService, folder: string): Promise<readonly string[]> {
  service.child.kill('SIGUSR2');
  const deadline = Date.now() + WITHIN;
  for (;;) {
    await pause(100);
    const file = readdirSync(folder).find((name) => name.endsWith('.heapsnapshot'));
    const strings = file === undefined ? undefined : stringsIn(join(folder, file));
    if (file !== undefined && strings !== undefined) {
      rmSync(join(folder, file));
      return strings;
    }
    if (Date.now() > deadline) throw new Error('the service has written no heap snapshot');
  }
}

/** undefined while the snapshot is being written: it ends with its strings. */
function stringsIn(file: string): readonly string[] | undefined {
  const text = readFileSync(file, 'utf8');
  return text.trimEnd().endsWith(']}') ? (JSON.parse(text) as { strings: string[] }).strings : undefined;
}
