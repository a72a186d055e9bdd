import type { Fold } from '#eventsourcing';
import { inventory } from '#purchasing/model';

/** The folds of the only build in a simulated world. */
export function simulatedFolds(): readonly Fold[] {
  return [{ decider: inventory, digest: 'aa' }];
}
