const SQLITE_FULL = 13;
/** The index of the WAL could not grow. SQLite calls that an error of input and output. */
const SQLITE_IOERR_SHMSIZE = 4874;

/**
 * Whether SQLite found no room on the disk. Unlike a sync that failed, that leaves no doubt about what was written before:
 * the transaction is rolled back, and once there is room again a new connection may go on.
 */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return error.errcode === SQLITE_FULL || error.errcode === SQLITE_IOERR_SHMSIZE;
}
