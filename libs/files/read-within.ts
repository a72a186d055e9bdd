import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

/** Bytes per read of a file that does not say its length. */
const PIECE = 65_536;

/** A path that does not lead to a file which the service can read. The message says what must be there and why it is not. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile';
  /** The system's code, such as ENOENT; undefined for a folder, a pipe, a device or a socket. */
  readonly code: string | undefined;

  /** @param why for people, after "but" */
  constructor(
    file: string,
    readonly why: string,
    cause?: NodeJS.ErrnoException,
  ) {
    super(`${file} must be a file that the service can read, but ${why}`, { cause });
    this.code = cause?.code;
  }
}

/** Why a path cannot be opened or read, for people, by the system's code. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  ELOOP: 'it is a link that leads to itself',
  EISDIR: 'it is a folder',
  ENXIO: 'it is a socket',
};

/**
 * Opens a regular file for reading, and reads from it. It never waits for a pipe's writer.
 * @throws UnreadableFile for anything else, and if the file cannot be opened or read
 */
export function withFile<T>(file: string, use: (descriptor: number, found: Stats) => T): T {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = fstatSync(descriptor);
    const kind = otherKind(found);
    if (kind !== undefined) throw new UnreadableFile(file, `it is a ${kind}`);
    return use(descriptor, found);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined || code === undefined) throw error;
    const why = REASONS[code];
    throw new UnreadableFile(file, why === undefined ? `the system says ${code}` : `${why} (${code})`, error as Error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** What a path leads to; undefined for a regular file. */
function otherKind(found: Stats): string | undefined {
  if (found.isFile()) return undefined;
  if (found.isDirectory()) return 'folder';
  if (found.isFIFO()) return 'pipe';
  return found.isSocket() ? 'socket' : 'device';
}

/**
 * Reads a whole file if it is within a bound.
 * @param most bytes
 * @returns undefined if the file is larger
 * @throws UnreadableFile if there is no regular file, or it cannot be read
 */
export function readWithin(file: string, most: number): Buffer | undefined {
  return withFile(file, (descriptor, { size: statedSize }) => {
    if (statedSize > most) return undefined;
    const pieces: Buffer[] = [];
    // Files of the system, such as those in /proc, say that they are empty.
    for (let size = 0; size <= most;) {
      const piece = Buffer.allocUnsafe(Math.min(Math.max(PIECE, statedSize - size), most + 1 - size));
      const got = readSync(descriptor, piece);
      if (got === 0) return Buffer.concat(pieces, size);
      pieces.push(piece.subarray(0, got));
      size += got;
    }
    return undefined;
  });
}
