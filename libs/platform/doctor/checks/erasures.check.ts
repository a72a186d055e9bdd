import { readErasures } from '#erasures-file';
import type { Looks } from '../looks.js';
import { look, ok, type Result, wrong } from '../verdict.js';

/** The file of erasures (ruling H10): whether it is there and can be read. */
export async function checkErasures({ settings }: Looks): Promise<Result> {
  const { erasuresFile: file, role } = settings.config;
  if (role === 'worker') return ok('a worker erases nobody');
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
