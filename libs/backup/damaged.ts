/** A backup that is not whole, of another installation or of a newer format. The message names the file and what to do. */
export class BackupRefused extends Error {
  override name = 'BackupRefused';
}

/** What is wrong with one file of a backup. */
export function damaged(file: string, what: string): BackupRefused {
  return new BackupRefused(
    `${file} ${what}: this backup is not whole. Restore from another copy of it, or from an earlier one (--at)`,
  );
}
