import { chmodSync, mkdirSync } from 'node:fs';
import { writeNamed } from '#files';

/**
 * Makes a folder that only its owner can read, or restricts an existing one to its owner.
 * @throws UnwritableFile
 */
export function makePrivateFolder(folder: string): void {
  writeNamed(folder, () => {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o700);
  });
}
