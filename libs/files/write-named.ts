/** A file or folder that cannot be written. The message names it and says why. */
export class UnwritableFile extends Error {
  override name = 'UnwritableFile';
  constructor(path: string, why: string, cause: unknown) {
    super(`${path} cannot be written: ${why}`, { cause });
  }
}

/** Why a path cannot be written and what to do, for people, by the system's code. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'let this user write to it and to its folder',
  EDQUOT: 'this user may use no more of the disk: make room',
  EISDIR: 'it is a folder: remove it, or name another path',
  EEXIST: 'there is a file where a folder must be: remove it, or name another path',
  ENOENT: 'its folder does not exist',
  ENOSPC: 'the disk is full: make room, then start again',
  ENOTDIR: 'a part of its path is not a folder',
  EPERM: 'let this user write to it and to its folder',
  EROFS: 'its disk is read-only',
};

/**
 * Runs a step that writes a file, and names the file if the system refuses. The system's own errors of writing name none.
 * @throws UnwritableFile
 */
export function writeNamed<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw namedAfter(path, error);
  }
}

/** The same error for a failed step; other errors than the system's stay as they are. */
export function namedAfter(path: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined || code === undefined) return error;
  const why = REASONS[code];
  return new UnwritableFile(path, why === undefined ? `the system says ${code}` : `${why} (${code})`, error);
}
