const SQLITE_FULL = 13;
/** The index of the WAL could not grow. SQLite reports that as an I/O error. */
const SQLITE_IOERR_SHMSIZE = 4874;

/**
 * Whether SQLite found no room on the disk. Unlike a failed sync, that leaves no doubt about earlier writes: the transaction
 * is rolled back, and a new connection may continue once there is room.
 */
export function isDiskFull(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { errcode, cause } = error as { readonly errcode?: number; readonly cause?: unknown };
  // An error for people, which names the file, has SQLite's own as its cause.
  if (errcode === undefined) return isDiskFull(cause);
  return errcode === SQLITE_FULL || errcode === SQLITE_IOERR_SHMSIZE;
}
