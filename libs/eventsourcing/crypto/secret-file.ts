import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { namedAfter, syncFolder, writeNamed } from '#files';
import type { Randomness } from '../ports/randomness.js';

/**
 * Writes a file that only its owner can read (mode 0600) and replaces an existing one. After a power cut the file is
 * complete or absent: this writes a file beside it, syncs, renames and syncs the folder.
 * @throws UnwritableFile
 */
export function writeSecretFile(file: string, content: string): void {
  const beside = `${file}.tmp`;
  writeSynced(beside, content);
  writeNamed(file, () => renameSync(beside, file));
  syncFolder(dirname(file));
}

/**
 * Writes such a file unless it exists. If several processes share a folder, the first one's content stays.
 * @throws UnwritableFile
 */
export function createSecretFile(file: string, content: string, randomness: Pick<Randomness, 'uuid'>): void {
  const beside = `${file}.${randomness.uuid()}.tmp`;
  writeSynced(beside, content);
  try {
    linkSync(beside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw namedAfter(file, error);
  } finally {
    unlinkSync(beside);
  }
  syncFolder(dirname(file));
}

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
/** A new file, or over a file, but never to where a link leads. Windows has no such flag. */
const TO_WRITE = O_WRONLY | O_CREAT | O_TRUNC | ((O_NOFOLLOW as number | undefined) ?? 0);

function writeSynced(file: string, content: string): void {
  writeNamed(file, () => {
    const descriptor = openSync(file, TO_WRITE, 0o600);
    try {
      fchmodSync(descriptor, 0o600);
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
}
