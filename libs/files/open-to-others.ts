import { statSync } from 'node:fs';

/** Group and others. */
const NOT_THE_OWNER = 0o077;
const READ_BY_GROUP = 0o040;

/**
 * A warning, with the command to run, if other users can read or change a file that holds a secret. A file of another user that
 * only its group may read is as it should be: that is how this process reads it.
 * @returns undefined if nobody else can, if there is no such file, and on Windows, which has no modes
 */
export function openToOthers(file: string): string | undefined {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  const found = statOf(file);
  if (found === undefined) return undefined;
  const open = found.mode & NOT_THE_OWNER;
  const isOwn = user === 0 || found.uid === user;
  if (open === 0 || (!isOwn && open === READ_BY_GROUP)) return undefined;
  const path = quoted(file);
  const command = isOwn ? `run chmod 600 ${path}` : `run as root: chown ${user} ${path} && chmod 600 ${path}`;
  return `other users can read or change ${file}: ${command}`;
}

function statOf(file: string): { readonly mode: number; readonly uid: number } | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // Whoever reads it says why it cannot be read.
    return undefined;
  }
}

/** A path as a shell takes it. */
function quoted(path: string): string {
  return /^[\w./+:@-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
