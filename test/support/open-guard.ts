import { thisMachine } from '#adapters/machine';
import { LogGuard } from '#ownership';

/** A guard that finds nothing by itself: only what a command loop sees speaks against the log. */
export function openGuard(): LogGuard {
  return new LogGuard({
    check: async () => [],
    accepted: new Set(),
    notice: () => undefined,
    time: thisMachine.time,
  });
}
