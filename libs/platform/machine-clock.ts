import type { Time } from '#eventsourcing';
import type { Instant } from '#kernel';

/**
 * The machine's clock, in milliseconds since 1970.
 * @param testTime what it is taken to say now, from where it runs on: data of long ago opens at the hour of its own
 */
export function machineClock(time: Pick<Time, 'wall'>, testTime: Instant | undefined): () => Instant {
  if (testTime === undefined) return () => time.wall();
  const apart = testTime - time.wall();
  return () => time.wall() + apart;
}
