import { thisMachine } from '#adapters/machine';
import type { Environment } from '../environment.js';
import { placesIn } from './places.js';
import { type RestoredBackup, type RestoreOrder, type RestoreProgress, restore } from './restore.js';

/**
 * Restores a backup to where the environment says that the installation is.
 * @throws Error for people to read
 */
export function runRestore(
  environment: Environment,
  order: RestoreOrder,
  progress: (progress: RestoreProgress) => void,
): Promise<RestoredBackup> {
  process.umask(0o077);
  return restore(placesIn(environment), order, progress, thisMachine);
}
