import type { Randomness } from '#eventsourcing';

/** Request ids: unguessable in front, counted behind. */
export function requestIds(randomness: Pick<Randomness, 'hex'>): () => string {
  const prefix = randomness.hex(8);
  let next = 0;
  return () => `${prefix}-${(next++).toString(36)}`;
}
