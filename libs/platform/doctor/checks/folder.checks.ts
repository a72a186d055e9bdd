import type { Looks } from '../looks.js';
import { look, ok, type Result, together, wrong } from '../verdict.js';
import { bytesInWords, someOf } from '../words.js';

/** Below this room nobody should wait until it is used up. */
const LITTLE = 64 * 1_024 * 1_024;
/** Below this room somebody should look. */
const SCARCE = 1_024 * 1_024 * 1_024;
/** The least files that a start makes. */
const FEW_FILES = 1_000;

/** Whether the folder is there, whether a start takes it, and who else may open its files. */
export async function checkRights({ folder }: Looks): Promise<Result> {
  const { path, there, refusal, open, foreign } = await folder.rights;
  if (refusal !== undefined) return wrong(refusal, 'Put right what it says; a start refuses the folder until then.');
  if (!there) return ok(`${path} is not there yet: the first start makes it`);
  return together([
    ok(path),
    ...(foreign.length === 0
      ? []
      : [
          look(
            `another user owns ${someOf(foreign)}`,
            'Run this command as the user of the service. If that is the wrong owner: chown -R <user of the service> the folder.',
          ),
        ]),
    ...(open.length === 0
      ? []
      : [
          look(
            `other users can open ${someOf(open)}`,
            `Run chmod -R go-rwx ${path}; or restart the service, which closes its files.`,
          ),
        ]),
  ]);
}

/** The room on the disk. */
export async function checkRoom({ folder, settings }: Looks): Promise<Result> {
  const { freeBytes, allBytes, freeFiles, viewsBytes } = await folder.room;
  const facts = `${bytesInWords(freeBytes)} free of ${bytesInWords(allBytes)}`;
  const where = settings.config.dataDir;
  const make = `Make room on the disk of ${where}: the log takes no sale without it, and goes on by itself when there is some.`;
  if (freeBytes < LITTLE) return wrong(facts, make);
  if (freeFiles !== null && freeFiles < FEW_FILES)
    return wrong(
      `${facts}; it takes only ${freeFiles} more files`,
      'Delete files of others: the disk has no more inodes.',
    );
  if (freeBytes < viewsBytes)
    return look(
      `${facts}; the views have ${bytesInWords(viewsBytes)}`,
      'Make room before a new version of views is built: it is built beside the live one.',
    );
  return freeBytes < SCARCE ? look(facts, make) : ok(facts);
}

/** Whether the files are whole, and belong together. */
export async function checkFiles({ folder, settings }: Looks): Promise<Result> {
  const { sizes, inUse, format, starts, refusal, isRestoring, copied } = await folder.files;
  const bytes = sizes.reduce((sum, each) => sum + each.bytes, 0);
  const facts = `${bytesInWords(bytes)} in ${sizes.reduce((sum, { files }) => sum + files, 0)} files`;
  if (isRestoring && inUse) return look(`${refusal}`, 'No service starts here meanwhile.');
  if (isRestoring)
    return wrong(
      `${refusal}`,
      'The backup is as it was. The same restore, run again, first removes what this one has left; docs/operating.md, “Restore”.',
    );
  if (refusal !== undefined)
    return wrong(refusal, 'Put back what it names, or start with ACCEPT=<code> if it names one: docs/ownership.md.');
  if (copied !== undefined) return look(copied, 'Never start both folders.');
  if (settings.config.role !== 'all') return ok(`${facts}; log and keys are on servers`);
  if (inUse) return ok(`${facts}; a process has the folder, and has checked its files when it started`);
  return format === undefined
    ? ok(`${facts}; no service has started here yet`)
    : ok(`${facts}, format ${format}, ${starts} starts`);
}
