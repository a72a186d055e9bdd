import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { Image } from './crash.js';

/** Makes the folder hold exactly what the disk held, for its owner only. */
export function lay(root: string, { files, folders }: Image): void {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { mode: 0o700 });
  for (const folder of folders) mkdirSync(folder, { mode: 0o700 });
  for (const [path, bytes] of files) writeFileSync(path, bytes, { mode: 0o600 });
}
