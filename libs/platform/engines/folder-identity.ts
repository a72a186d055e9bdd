import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/**
 * Identifies a data folder, and distinguishes it from its copies, until the machine restarts. A process that has locked the
 * folder knows that every earlier process on it has ended.
 */
export function folderIdentity(dataDir: string): string {
  const lock = statSync(join(dataDir, 'lock.db'), { bigint: true, throwIfNoEntry: false });
  const parts = [machine(), realpathSync(dataDir), String(lock?.dev), String(lock?.ino)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** Identifies one start of the machine. Containers of one image can share a machine id, so that would not do. */
function machine(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return hostname();
  }
}
