import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/**
 * Tells a data folder from every other one, on this machine since it was started, and from its copies: who has taken it
 * has ended whoever had it before.
 */
export function placeOf(dataDir: string): string {
  const lock = statSync(join(dataDir, 'lock.db'), { bigint: true, throwIfNoEntry: false });
  const parts = [machine(), realpathSync(dataDir), String(lock?.dev), String(lock?.ino)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** Containers of one image have the same machine id; what names a start of the machine is no other's. */
function machine(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return hostname();
  }
}
