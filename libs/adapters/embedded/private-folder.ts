import { chmodSync, mkdirSync } from 'node:fs';

/** Makes a folder that only its owner can read, or restricts an existing one to its owner. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
}
