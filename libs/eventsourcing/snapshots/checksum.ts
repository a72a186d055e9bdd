import { createHash } from 'node:crypto';
import type { Snapshot } from '../ports/snapshot-store.js';
import type { Slices } from '../scheduling/slices.js';

/** A snapshot’s checksum, in hex digits: over its fields, and the length and the bytes of each part. */
export async function checksumOf(snapshot: Omit<Snapshot, 'checksum'>, slices: Slices): Promise<string> {
  const { stream, digest, log, revision, position, event, first, parts } = snapshot;
  const hash = createHash('sha256');
  hash.update(JSON.stringify([stream, digest, log, revision, position.toString(), event, first]));
  for (const part of parts) {
    hash.update(`\n${part.byteLength}\n`).update(part);
    if (slices.isOver) await slices.next();
  }
  return hash.digest('hex');
}
