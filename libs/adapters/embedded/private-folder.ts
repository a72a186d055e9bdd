import { chmodSync, mkdirSync } from 'node:fs';

/** Makes a folder that its owner alone may look into, also where there was one that others might. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
}
