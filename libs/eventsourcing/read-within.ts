import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes that are asked for at once of what does not say how long it is. */
const PIECE = 65_536;

/**
 * Reads a file whole, if it is no larger than it may be; of one without an end, such as a device, no more than shows that.
 * @param most bytes
 * @returns undefined where it is larger
 * @throws what the system says of a file that cannot be opened or read
 */
export function readWithin(file: string, most: number): Buffer | undefined {
  const descriptor = openSync(file, 'r');
  try {
    const found = fstatSync(descriptor);
    const said = found.isFile() ? found.size : 0;
    if (said > most) return undefined;
    const pieces: Buffer[] = [];
    for (let size = 0; size <= most;) {
      const piece = Buffer.allocUnsafe(Math.min(Math.max(PIECE, said - size), most + 1 - size));
      const got = readSync(descriptor, piece);
      if (got === 0) return Buffer.concat(pieces, size);
      pieces.push(piece.subarray(0, got));
      size += got;
    }
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}
