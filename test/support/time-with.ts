import { thisMachine } from '#adapters/machine';
import type { Time } from '#eventsourcing';

/** The machine’s time, but for some of its functions. */
export function timeWith(changes: Partial<Time>): Time {
  return Object.assign({}, thisMachine.time, changes);
}
