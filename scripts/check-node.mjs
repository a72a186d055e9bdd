/** Compares the Node that npm installed with the checksum in `node-checksums.json`, once for each install. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs';
import { Buffer } from 'node:buffer';

/** Bytes per read: the file has more than 100 MB. */
const PIECE = 1 << 20;

/** The SHA-256 of a file, in hex. */
export function sha256(file) {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(PIECE);
  const descriptor = openSync(file, 'r');
  try {
    for (let got; (got = readSync(descriptor, piece)) > 0;) hash.update(piece.subarray(0, got));
  } finally {
    closeSync(descriptor);
  }
  return hash.digest('hex');
}

/**
 * Whether a file has a checksum. It remembers the answer beside the packages, with what a new or changed file would change, so
 * that the next start does not read the file again.
 * @param record the file that remembers
 */
export function hasChecksum(file, wanted, record) {
  const { size, mtimeMs, ino } = statSync(file);
  const known = `${wanted} ${size} ${mtimeMs} ${ino}\n`;
  if (contentOf(record) === known) return true;
  if (sha256(file) !== wanted) return false;
  try {
    writeFileSync(record, known);
  } catch {
    // The packages may be on a disk that is read-only: then each start compares.
  }
  return true;
}

function contentOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
