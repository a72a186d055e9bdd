import { relative, resolve } from 'node:path';
import { readErasures } from '#erasures-file';
import type { Looks } from '../looks.js';
import { look, ok, type Result, wrong } from '../verdict.js';

/** The file of erasures (ruling H10): whether it is there, and can be read, and outside what it protects. */
export async function checkErasures({ settings }: Looks): Promise<Result> {
  const { erasuresFile: file, dataDir, role } = settings.config;
  if (role === 'worker') return ok('a worker erases nobody');
  const within = relative(resolve(dataDir), resolve(file));
  if (within !== '' && !within.startsWith('..'))
    return wrong(
      `${file} is in the data folder`,
      'Name a file elsewhere in ERASURES_FILE: an older copy of the folder would have an older file, and bring erased persons back.',
    );
  try {
    const found = readErasures(file);
    if (found === undefined)
      return look(
        `${file} is not there: nobody can be erased until a start has made it`,
        'Start the service. If it does not make the file, let its user write to the folder of the file, or name another one in ERASURES_FILE.',
      );
    return ok(`${file}: ${found.lines.length} ${found.lines.length === 1 ? 'person' : 'persons'} erased`);
  } catch (error) {
    return wrong((error as Error).message, 'Put back the right file; a start refuses this one.');
  }
}
