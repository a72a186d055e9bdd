import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes the names in a folder durable. Windows has no such call: its file systems journal names themselves. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
