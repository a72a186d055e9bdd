import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './median.js';

const SYNCS = 50;
const BLOCK = Buffer.alloc(4_096, 1);

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
