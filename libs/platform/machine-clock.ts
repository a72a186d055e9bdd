import type { Instant } from '#kernel';

/**
 * The machine's clock, in milliseconds since 1970.
 * @param testTime what it is taken to say now, from where it runs on: data of long ago opens at the hour of its own
 */
export function machineClock(testTime: Instant | undefined): () => Instant {
  if (testTime === undefined) return Date.now;
  const apart = testTime - Date.now();
  return () => Date.now() + apart;
}
