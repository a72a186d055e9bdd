import type { Time } from '#eventsourcing';
import type { Instant } from '#kernel';

/**
 * The machine's clock, in milliseconds since 1970.
 * @param testTime the time that it shows now, and runs on from: so tests can open old data at its own time
 */
export function machineClock(time: Pick<Time, 'wall'>, testTime: Instant | undefined): () => Instant {
  if (testTime === undefined) return () => time.wall();
  const apart = testTime - time.wall();
  return () => time.wall() + apart;
}
