import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes per read of a file that does not say its length. */
const PIECE = 65_536;

/**
 * Reads a whole file if it is within a bound. Of a file without an end, such as a device, it reads just enough to see that.
 * @param most bytes
 * @returns undefined if the file is larger
 * @throws the system's error if the file cannot be opened or read
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
