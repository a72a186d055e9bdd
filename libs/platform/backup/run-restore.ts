import { thisMachine } from '#adapters/machine';
import type { Environment } from '../environment.js';
import { placesIn } from './places.js';
import { type RestoredBackup, type RestoreHearer, type RestoreOrder, restore } from './restore.js';

/**
 * Restores a backup to where the environment says that the installation is.
 * @throws Error for people to read
 */
export function runRestore(
  environment: Environment,
  order: RestoreOrder,
  hearer: RestoreHearer,
): Promise<RestoredBackup> {
  process.umask(0o077);
  return restore(placesIn(environment), order, hearer, thisMachine);
}
