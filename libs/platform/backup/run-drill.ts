import { thisMachine } from '#adapters/machine';
import type { Environment } from '../environment.js';
import { drill, type DrillHearer, type DrillReport } from './drill.js';
import { placesIn } from './places.js';
import type { RestoreOrder } from './restore.js';

/**
 * Tries whether a backup can be restored, in a temporary folder.
 * @throws Error for people to read
 */
export function runDrill(environment: Environment, order: RestoreOrder, hearer: DrillHearer): Promise<DrillReport> {
  process.umask(0o077);
  return drill(placesIn(environment), order, hearer, thisMachine);
}
