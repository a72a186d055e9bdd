import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunningService } from './running-service.js';

/** Milliseconds in which a service must have written its heap. */
const WITHIN = 240_000;

/** The environment of a service that writes its heap into a folder on request. */
export function heapSnapshotsInto(folder: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}` };
}

/**
 * Every string on the heap of a service's main thread after a garbage collection, as far as its code, its objects and Node's
 * refer to it. A string with more than 1024 characters is cut after 1024.
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

/** undefined while the snapshot is incomplete: it ends with its strings. */
function stringsIn(file: string): readonly string[] | undefined {
  const text = readFileSync(file, 'utf8');
  return text.trimEnd().endsWith(']}') ? (JSON.parse(text) as { strings: string[] }).strings : undefined;
}
